// Sign-in, sign-out, identity, and personal tokens.
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { isKnown, Role } from '#domain/people/principal.ts';
import { line } from '#domain/text.ts';
import { type Identity, requireLesser, signInSeconds } from '#people/identity.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import { cookieOf, hostCookie, setCookie } from '../cookies.ts';
import { sessionCookie } from '../guard.ts';
import { answerChecked } from '../idempotency.ts';
import { openToAll } from '../openapi.ts';
import { documented } from '../registry.ts';

const route = routesOf('system');

export type IdentityOptions = {
  identity: Pick<
    Identity,
    | 'providers'
    | 'begin'
    | 'finish'
    | 'signOut'
    | 'signOutEverywhere'
    | 'createToken'
    | 'listTokens'
    | 'revokeToken'
  >;
  /** Cookies over https only. */
  secure: boolean;
};

const ProviderPath = z.object({ provider: line(100) });
const BeginQuery = z.object({ back: z.string().max(2000).exactOptional() });

const SignInAnswer = documented(
  z.object({ providers: z.array(z.object({ name: z.string(), label: z.string() })) }),
  { id: 'SignIns', description: 'Sign-in providers; empty if sign-in is off.' },
);
const MeAnswer = documented(
  z.object({
    account: z.string(),
    name: z.string(),
    email: z.string().exactOptional(),
    role: Role,
    tenant: z.string().nullable(),
    groups: z.array(z.string()),
    names: z.array(z.string()),
    by: z.enum(['local', 'instance', 'token', 'session']),
  }),
  {
    id: 'Principal',
    description:
      'The caller: account, role, organisation (null: the whole instance) and how they were authenticated.',
  },
);
const TokenAnswer = documented(
  z.object({
    id: z.string(),
    account: z.string(),
    name: z.string(),
    role: Role,
    tenant: z.string().nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    used_at: z.iso.datetime().nullable(),
  }),
  { id: 'Token', description: 'A personal token without its secret.' },
);
const NewToken = documented(
  z.strictObject({
    name: line(80),
    role: Role.default('requester'),
    days: documented(z.int().min(1).max(3650).nullable().default(90), {
      description: 'Days until it expires; null: never.',
    }),
  }),
  { id: 'NewToken', examples: [{ name: 'CI of the website', role: 'requester', days: 30 }] },
);
const MadeToken = documented(TokenAnswer.extend({ token: z.string() }), {
  id: 'MadeToken',
  description: '`token` is shown only once.',
});
const SignOutBody = z.strictObject({ everywhere: z.boolean().default(false) }).nullish();
const Done = z.object({ done: z.literal(true) });

type Token = Awaited<ReturnType<Identity['listTokens']>>[number];
const isoOf = (at: Date | null) => at?.toISOString() ?? null;
const describe = ({ id, account, name, role, tenant, created_at, expires_at, used_at }: Token) => ({
  ...{ id, account, name, role, tenant, created_at: created_at.toISOString() },
  ...{ expires_at: isoOf(expires_at), used_at: isoOf(used_at) },
});

/** Null for all. */
function reachOf({ principal }: FastifyRequest): string[] | null {
  const isOperator = principal.role === 'admin' && principal.tenant === null;
  return isOperator ? null : principal.names;
}

export const identityRoutes: FastifyPluginAsyncZod<IdentityOptions> = async (
  app,
  { identity, secure },
) => {
  const cookies = {
    session: hostCookie(sessionCookie, secure),
    begun: hostCookie('countersign_sign_in', secure),
  };
  const pages = { role: 'page', subject: 'instance' } as const;
  /** Per address and minute, which an office may share. */
  const signIns = { ...pages, limited: true, rateLimit: { max: 60 } } as const;

  app.get(
    '/api/sign-in',
    route('page', 'instance', 'listSignIns', 'List sign-in providers', {
      security: openToAll,
      response: { 200: json('The providers.', SignInAnswer) },
      problems: ['forbidden'],
    }),
    async () => ({ providers: identity.providers.map(({ name, label }) => ({ name, label })) }),
  );

  app.get(
    '/sign-in/:provider',
    {
      config: signIns,
      exposeHeadRoute: false,
      schema: { params: ProviderPath, querystring: BeginQuery },
    },
    async (request, reply) => {
      const { address, browser } = await identity.begin(
        request.params.provider,
        request.query.back,
      );
      const cookie = { name: cookies.begun, value: browser, path: '/', seconds: signInSeconds };
      setCookie(reply, { ...cookie, secure });
      return reply.header('cache-control', 'no-store').redirect(address);
    },
  );

  app.get(
    '/sign-in/:provider/callback',
    { config: signIns, exposeHeadRoute: false, schema: { params: ProviderPath } },
    async (request, reply) => {
      const [, query = ''] = request.url.split('?', 2);
      const { session, expires, back } = await identity.finish(request.params.provider, {
        query,
        browser: cookieOf(request, cookies.begun) ?? '',
        before: cookieOf(request, cookies.session) ?? null,
      });
      const seconds = Math.max(1, Math.round((expires.getTime() - Date.now()) / 1000));
      setCookie(reply, { name: cookies.session, value: session, path: '/', seconds, secure });
      return reply.header('cache-control', 'no-store').redirect(back);
    },
  );

  app.post(
    '/api/sign-out',
    route('viewer', 'self', 'signOut', 'Sign out, here or everywhere', {
      body: SignOutBody,
      response: { 200: json('It is done.', Done) },
    }),
    async (request, reply) => {
      const session = cookieOf(request, cookies.session);
      setCookie(reply, { name: cookies.session, value: '', path: '/', seconds: 0, secure });
      const signOut = async () => {
        if (session !== undefined) await identity.signOut(session);
        if (request.body?.everywhere === true && isKnown(request.principal))
          await identity.signOutEverywhere(request.principal);
      };
      return answerChecked(request, reply, signOut, async () => ({ done: true as const }));
    },
  );

  app.get(
    '/api/me',
    route('viewer', 'self', 'getMe', 'Read who you are', {
      response: { 200: json('The one who asks.', MeAnswer) },
    }),
    async (request) => request.principal,
  );

  app.get(
    '/api/tokens',
    route('viewer', 'self', 'listTokens', "List your personal tokens; admins get everyone's", {
      response: {
        200: json(
          'The tokens.',
          documented(z.object({ tokens: z.array(TokenAnswer) }), { id: 'TokenList' }),
        ),
      },
    }),
    async (request) => ({ tokens: (await identity.listTokens(reachOf(request))).map(describe) }),
  );

  app.post(
    '/api/tokens',
    route('viewer', 'self', 'createToken', 'Create a personal token', {
      config: { keyless: true },
      description: 'Requires a signed-in person. A token never has more rights than its owner.',
      body: NewToken,
      response: { 201: json('The token, shown this once.', MadeToken) },
    }),
    async (request, reply) => {
      const { principal } = request;
      if (principal.by !== 'session')
        throw new CountersignError(
          'forbidden',
          'Sign in to make a token for yourself, or run: countersign token create --user NAME.',
        );
      requireLesser(request.body.role, principal.role);
      const { account, tenant } = principal;
      const wanted = { ...request.body, tenant };
      const { token, facts } = await identity.createToken(
        account,
        wanted,
        actorOf(request, undefined),
      );
      return reply.code(201).send({ ...describe(facts), token });
    },
  );

  app.delete(
    '/api/tokens/:id',
    route('viewer', 'self', 'revokeToken', 'Revoke a personal token', {
      params: z.object({ id: line(100) }),
      response: { 200: json('It is revoked.', Done) },
      problems: ['not_found'],
    }),
    async (request) => {
      const actor = actorOf(request, undefined);
      await identity.revokeToken(request.params.id, reachOf(request), actor);
      return { done: true as const };
    },
  );
};

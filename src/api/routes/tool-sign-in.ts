// Sign-in at hosted MCP servers, cookie-bound to the browser.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { isKnown } from '#domain/people/principal.ts';
import { describeClient, type SignIns, signInPaths } from '#domain/tool-sign-in.ts';
import { json, routesOf } from '../answers.ts';
import { cookieOf, setCookie } from '../cookies.ts';
import { documented } from '../registry.ts';

const route = routesOf('system');

export type ToolSignInOptions = {
  signIns: SignIns | null;
  /** COUNTERSIGN_PUBLIC_URL; null for the request's host, which the guard checked. */
  publicUrl: string | null;
};

const cookie = 'countersign_mcp_sign_in';
const cookieSeconds = 600;
const Server = z.object({ server: z.string().min(1).max(200) });

const Begun = documented(z.object({ url: z.string() }), {
  id: 'BegunSignIn',
  description: "The authorization server's page to open in the browser.",
});

export const toolSignInRoutes: FastifyPluginAsyncZod<ToolSignInOptions> = async (
  app,
  { signIns, publicUrl },
) => {
  const requireSignIns = (): SignIns => {
    if (signIns !== null) return signIns;
    throw new CountersignError(
      'not_found',
      'None of the MCP servers in countersign.json has a "url", so there is nothing to sign in to. See docs/tools.md.',
    );
  };
  const originOf = ({ protocol, host }: FastifyRequest) => publicUrl ?? `${protocol}://${host}`;

  function keepInBrowser(request: FastifyRequest, reply: FastifyReply): string {
    const secret = randomBytes(32).toString('base64url');
    const { protocol, pathname: path } = new URL(`${originOf(request)}/oauth/mcp`);
    const secure = protocol === 'https:';
    setCookie(reply, { name: cookie, value: secret, path, seconds: cookieSeconds, secure });
    return secret;
  }

  app.post(
    '/api/settings/tools/:server/sign-in',
    route('admin', 'instance', 'beginToolSignIn', 'Start signing in at a hosted MCP server', {
      config: { keyless: true },
      description:
        'Sets a cookie: only that browser can finish. The tokens serve the whole instance.',
      params: Server,
      response: { 200: json('Where to go on.', Begun) },
    }),
    async (request, reply) => {
      const origin = originOf(request);
      return requireSignIns().begin(request.params.server, {
        redirect: `${origin}${signInPaths.callback}`,
        browser: keepInBrowser(request, reply),
        by: request.principal.name,
        account: isKnown(request.principal) ? request.principal.account : null,
        metadata: publicUrl?.startsWith('https:') ? `${origin}${signInPaths.metadata}` : null,
      });
    },
  );

  app.delete(
    '/api/settings/tools/:server/sign-in',
    route('admin', 'instance', 'forgetToolSignIn', 'Delete the sign-in at a hosted MCP server', {
      description: 'Deletes the tokens here. Revoke them at the server too if needed.',
      params: Server,
      response: {
        200: json('Whether there was one.', z.object({ forgotten: z.boolean() })),
      },
    }),
    async (request) => ({ forgotten: await requireSignIns().forget(request.params.server) }),
  );

  app.get(
    signInPaths.callback,
    { config: { role: 'open', subject: 'instance' }, schema: { hide: true } },
    async (request, reply) => {
      const params = new URL(request.url, 'http://localhost').searchParams;
      await requireSignIns().finish(
        params,
        cookieOf(request, cookie) ?? '',
        request.service.personOf,
      );
      return reply.redirect(`${publicUrl ?? ''}/?settings=tools`, 303);
    },
  );

  // Countersign's client ID metadata document.
  app.get(
    signInPaths.metadata,
    { config: { role: 'open', subject: 'instance' }, schema: { hide: true } },
    async (request) => {
      const origin = originOf(request);
      return {
        client_id: `${origin}${signInPaths.metadata}`,
        ...describeClient(`${origin}${signInPaths.callback}`, false),
      };
    },
  );
};

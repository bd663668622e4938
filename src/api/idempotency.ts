// `Idempotency-Key` on every API POST: key, effect and response commit together.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { digestJson } from '#domain/digest-json.ts';
import { CountersignError } from '#domain/errors.ts';
import { isKnown } from '#domain/people/principal.ts';
import type { Service } from '#domain/service.ts';
import { line } from '#domain/text.ts';
import { documented } from './registry.ts';

export const keyHeader = 'idempotency-key';

const KeyHeaders = z.looseObject({
  [keyHeader]: documented(line(255), {
    description:
      'Your own name for this request, such as a UUID. For a day, a repeat with the same key does nothing and gets the same answer (`idempotent-replayed: true`). Refused and failed requests are not kept. The same key with another body is refused as `key_reused`.',
  }).exactOptional(),
});

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refuses keys: the response is a secret and isn't stored. */
    keyless?: true;
  }
}

const taken = new WeakSet<FastifyRequest>();

/** For every POST added later; a route that ignores the key is an error. */
export function takeKeys(api: FastifyInstance): void {
  api.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.config?.keyless === true) return;
    route.schema = { ...route.schema, headers: KeyHeaders };
  });
  const hasKey = ({ method, headers }: FastifyRequest) =>
    method === 'POST' && headers[keyHeader] !== undefined;
  api.addHook('onRequest', async (request) => {
    if (!hasKey(request) || request.routeOptions.config.keyless !== true) return;
    throw new CountersignError(
      'invalid_request',
      'This route takes no Idempotency-Key, because its answer is a secret and is not stored. Send the request without the header.',
    );
  });
  api.addHook('preSerialization', async (request, reply) => {
    if (hasKey(request) && reply.statusCode < 400 && !taken.has(request))
      throw new Error(`${request.routeOptions.url} ignores its Idempotency-Key`);
  });
}

export function nameSender(account: string, tenant: string | null): string {
  return tenant === null ? account : `${tenant} ${account}`;
}

const Kept = z.object({ status: z.number(), location: z.string().nullable(), body: z.unknown() });

const TypedUser = z.looseObject({ user: z.string() });

function digestOf({ method, url, body }: FastifyRequest): Promise<string> {
  return digestJson([method, url, body ?? null]);
}

/** `work` sets status and location first. With a key, it runs in the storing transaction. */
export function answerPost<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return answerChecked(request, reply, async () => null, work);
}

/** `check` runs before the transaction and may be slow. */
export async function answerChecked<T, C>(
  request: FastifyRequest,
  reply: FastifyReply,
  check: () => Promise<C>,
  work: (service: Service, checked: C) => Promise<T>,
): Promise<T> {
  taken.add(request);
  const { service, principal } = request;
  const key = request.headers[keyHeader];
  if (typeof key !== 'string') return work(service, await check());
  const sender = isKnown(principal) ? `${nameSender(principal.account, principal.tenant)} ` : '';
  // Stored responses bypass the service's access check.
  const typed = TypedUser.safeParse(request.body).data ?? TypedUser.safeParse(request.query).data;
  if (!isKnown(principal)) await service.personOf(typed?.user ?? principal.account);
  const path = request.url.split('?', 1)[0] ?? '/';
  let done = false;
  const answer = await service.once(
    { key: `${sender}${path} ${key}`, digest: await digestOf(request) },
    check,
    async (joined, checked) => {
      const body = await work(joined, checked);
      done = true;
      const location = reply.getHeader('location');
      return {
        status: reply.statusCode,
        location: typeof location === 'string' ? location : null,
        body,
      };
    },
  );
  const { status, location, body } = Kept.parse(answer);
  if (!done) {
    reply.code(status).header('idempotent-replayed', 'true');
    if (location !== null) reply.header('location', location);
  }
  return body as T;
}

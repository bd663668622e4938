// Teams' HTTP endpoint; authenticates before parsing.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CountersignError } from '#domain/errors.ts';
import type { Authenticate, Vouches } from '../connector/connector.ts';
import { readActivity, readSignal } from '../signals/read-activity.ts';
import type { Accept } from './accept.ts';

/** The Azure bot's endpoint. */
const path = '/api/messages';
/** Teams' messages have at most about 100 KB. */
const bodyLimit = 262_144;

const warnedEveryMs = 60_000;

/** Once a minute each: anyone can send requests. */
function createWarnRarely(warn: (message: string, error?: unknown) => void): typeof warn {
  const last = new Map<string, number>();
  return (message, error) => {
    const now = performance.now();
    if (now - (last.get(message) ?? Number.NEGATIVE_INFINITY) < warnedEveryMs) return;
    last.set(message, now);
    warn(message, error);
  };
}

/** Call before the server listens. */
export async function registerTeams(
  app: FastifyInstance,
  options: {
    authenticate: Authenticate;
    accept: Accept;
    serves(tenant: string): boolean;
    warn(message: string, error?: unknown): void;
  },
): Promise<void> {
  const { authenticate, accept, serves } = options;
  const warn = createWarnRarely(options.warn);
  const vouching = new WeakMap<FastifyRequest, Vouches>();
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
  await app.register(async (teams) => {
    teams.removeAllContentTypeParsers();
    teams.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit },
      (_request, body, done) => done(null, body),
    );
    teams.addHook('onRequest', async (request, reply) => {
      try {
        const vouches = await authenticate(request);
        if (vouches === null) return reply.code(401).send();
        vouching.set(request, vouches);
      } catch (error) {
        warn(
          'Could not verify that a request is from Teams; asked the sender to try again.',
          error,
        );
        return reply.code(503).send();
      }
    });
    const config = { role: 'open', subject: 'instance' } as const;
    teams.post<{ Body: Buffer<ArrayBuffer> | undefined }>(
      path,
      { config },
      async (request, reply) => {
        const body = request.body ?? Buffer.alloc(0);
        let activity: ReturnType<typeof readActivity>;
        try {
          activity = readActivity(body);
        } catch (error) {
          if (!(error instanceof CountersignError) || error.code !== 'invalid_json') throw error;
          return reply.code(400).send({ error: error.message });
        }
        if (activity === null) return reply.code(400).send();
        // Other channels have other rules of identity.
        if (activity.channelId !== 'msteams') return reply.code(401).send();
        if (vouching.get(request)?.(activity.serviceUrl) !== true) return reply.code(401).send();
        try {
          const signal = readSignal(activity);
          if (signal === null) return reply.code(200).send();
          if (!serves(signal.scene.tenant)) return reply.code(403).send();
          // Teams then says the app can't do that.
          if (signal.kind === 'other' && signal.asks) return reply.code(501).send();
          const answered = await accept(signal, body);
          if (answered === null) return reply.code(200).send();
          const { answer, onSent } = answered;
          if (onSent !== undefined) {
            // Never called if Teams has disconnected.
            reply.raw.once('finish', () => {
              onSent().catch((error: unknown) =>
                warn('Could not record what was sent to Teams.', error),
              );
            });
          }
          return reply.send(answer);
        } catch (error) {
          warn('Could not store an activity from Teams; asked Teams to send it again.', error);
          return reply.code(503).send();
        }
      },
    );
  });
}

// Slack's requests on the instance's own server. Signature and age are checked on the bytes before anything is read of them.
import type { FastifyInstance } from 'fastify';
import { CountersignError } from '#contracts/errors.ts';
import type { Accept } from './accept.ts';
import { readChallenge } from './read-signal.ts';
import { createVerifier } from './verify-request.ts';

/** The address in the app's manifest, for events, interactions and commands alike. */
const path = '/slack/events';
/** Bytes; events of Slack are far smaller. */
const bodyLimit = 1_048_576;

function headerOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Adds the route to a server that is not listening yet. */
export async function registerSlack(
  app: FastifyInstance,
  options: {
    signingSecret: string;
    accept: Accept;
    now(): Date;
    warn(message: string, error?: unknown): void;
  },
): Promise<void> {
  const { accept, now, warn } = options;
  const isSlacks = createVerifier(options.signingSecret);
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
  await app.register(async (slack) => {
    slack.removeAllContentTypeParsers();
    slack.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
    slack.post<{ Body: Buffer<ArrayBuffer> | undefined }>(path, async (request, reply) => {
      const body = request.body ?? Buffer.alloc(0);
      const { headers } = request;
      const signed = {
        body,
        signature: headerOf(headers['x-slack-signature']),
        seconds: headerOf(headers['x-slack-request-timestamp']),
      };
      if (!isSlacks(signed, now())) return reply.code(401).send();
      try {
        const challenge = readChallenge(body);
        if (challenge !== null) return reply.send({ challenge });
        const answer = await accept(body);
        return answer === null ? reply.code(200).send() : reply.send(answer);
      } catch (error) {
        if (error instanceof CountersignError && error.code === 'invalid_json')
          return reply.code(400).send({ error: error.message });
        warn('A request of Slack could not be stored; Slack is told to send it again.', error);
        return reply.code(503).send();
      }
    });
  });
}

// Slack's HTTP endpoint; checks raw bytes before parsing.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { CountersignError } from '#domain/errors.ts';
import { readChallenge } from '../signals/read-signal.ts';
import type { Accept } from './accept.ts';

// Bolt's own check computes three more digests.

/** Seconds either way, against replays. */
const oddBySeconds = 300;

type SignedRequest = {
  body: Uint8Array;
  /** Null if missing or repeated. */
  signature: string | null;
  seconds: string | null;
};

/** @throws if the secret is empty, which lets anyone sign */
export function createVerifier(
  signingSecret: string,
): (request: SignedRequest, now: Date) => boolean {
  if (signingSecret === '') throw new Error('createVerifier: the signing secret is empty');
  return ({ body, signature, seconds }, now) => {
    if (seconds === null || !/^\d{1,12}$/.test(seconds)) return false;
    const age = now.getTime() / 1000 - Number(seconds);
    if (Math.floor(age) > oddBySeconds || age < -oddBySeconds) return false;
    const [, given] = /^v0=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
    if (given === undefined) return false;
    const own = createHmac('sha256', signingSecret).update(`v0:${seconds}:`).update(body).digest();
    return timingSafeEqual(own, Buffer.from(given, 'hex'));
  };
}

/** As in the manifest. */
const path = '/slack/events';
/** Slack's events are far smaller. */
const bodyLimit = 1_048_576;

function headerOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Call before the server listens. */
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
    const config = { role: 'open', subject: 'instance' } as const;
    slack.post<{ Body: Buffer<ArrayBuffer> | undefined }>(
      path,
      { config },
      async (request, reply) => {
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
          warn('Could not store a request from Slack; asked Slack to send it again.', error);
          return reply.code(503).send();
        }
      },
    );
  });
}

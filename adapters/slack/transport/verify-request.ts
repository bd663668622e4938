// Whether a request is Slack's: its signature over the time and the bytes that came, and its age. Bolt's own check makes three
// more digests to compare two.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the time of a request may be from ours, in either direction: one from far off could have been kept to be sent later. */
const oddBySeconds = 300;

export type SignedRequest = {
  body: Uint8Array;
  /** As they stand in its headers; null: missing, or there twice. */
  signature: string | null;
  seconds: string | null;
};

/** @throws for an empty secret, with which anybody could sign */
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

// Compared with Bolt's answer.
import { createHmac } from 'node:crypto';
import { isValidSlackRequest } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVerifier } from '#adapters/slack/transport/http.ts';

const secret = 'a signing secret';
const now = new Date('2026-05-04T09:30:00.700Z');
const nowSeconds = Math.floor(now.getTime() / 1000);
const isSlacks = createVerifier(secret);

function signatureOf(body: string, seconds: string, by = secret): string {
  return `v0=${createHmac('sha256', by).update(`v0:${seconds}:${body}`).digest('hex')}`;
}

function isBolts(body: string, signature: string, seconds: number): boolean {
  return isValidSlackRequest({
    signingSecret: secret,
    body,
    headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': seconds },
    nowMilliseconds: now.getTime(),
  });
}

const verify = (body: string, signature: string | null, seconds: string | null) =>
  isSlacks({ body: Buffer.from(body), signature, seconds }, now);

test('what Slack signed is Slack’s, whatever stands in it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: -300, max: 300 }),
      (body, off) => {
        const seconds = nowSeconds + off;
        const signature = signatureOf(body, String(seconds));
        expect(verify(body, signature, String(seconds))).toBe(true);
        expect(isBolts(body, signature, seconds)).toBe(true);
      },
    ),
  );
});

test('bytes that are no text are signed as they are', () => {
  const body = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
  const seconds = String(nowSeconds);
  const digest = createHmac('sha256', secret).update(`v0:${seconds}:`).update(body).digest('hex');
  expect(isSlacks({ body, signature: `v0=${digest}`, seconds }, now)).toBe(true);
});

test.each([
  [-301, false],
  [-300, true],
  [300, true],
  [301, false],
])('a request of %i seconds from now: taken is %s', (off, taken) => {
  const seconds = String(nowSeconds + off);
  expect(verify('{}', signatureOf('{}', seconds), seconds)).toBe(taken);
});

describe('is not Slack’s', () => {
  const seconds = String(nowSeconds);
  const good = signatureOf('{}', seconds);
  test.each([
    ['without a signature', null, seconds],
    ['without a time', good, null],
    ['with an empty signature', '', seconds],
    ['with a version alone', 'v0=', seconds],
    ['of another version', good.replace('v0', 'v1'), seconds],
    ['signed with another secret', signatureOf('{}', seconds, 'another'), seconds],
    ['with a signature cut short', good.slice(0, -1), seconds],
    ['with something after the signature', `${good}0`, seconds],
    ['with something before it', ` ${good}`, seconds],
    ['with a line break after it', `${good}\n`, seconds],
    ['at no time', signatureOf('{}', 'soon'), 'soon'],
    ['at a time with a sign', signatureOf('{}', `+${seconds}`), `+${seconds}`],
    ['at a time with a fraction', signatureOf('{}', `${seconds}.0`), `${seconds}.0`],
    ['at an empty time', signatureOf('{}', ''), ''],
    ['that was signed for another time', good, String(nowSeconds - 1)],
  ])('one %s', (_, signature, time) => {
    expect(verify('{}', signature, time)).toBe(false);
  });

  test('one of which any byte was changed', () => {
    const body = '{"text":"approve"}';
    const signature = signatureOf(body, seconds);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(body);
        changed.writeUInt8(changed.readUInt8(at) ^ by, at);
        expect(isSlacks({ body: changed, signature, seconds }, now)).toBe(false);
      }),
    );
  });
});

test('an empty secret is refused: anybody could sign with it', () => {
  expect(() => createVerifier('')).toThrow('the signing secret is empty');
});

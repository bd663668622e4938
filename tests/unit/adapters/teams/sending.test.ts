import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ConnectorRefusal,
  explainSignIn,
  explainTeamsError,
} from '#adapters/teams/connector/explain-error.ts';
import { fillReaders, makeActivity } from '#adapters/teams/port/make-activity.ts';

const now = new Date('2026-03-01T10:00:00Z');
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value), 'utf8');
const reader = (index: number) => `29:${'x'.repeat(100)}${index}`;
const readers = Array.from({ length: 60 }, (_, i) => reader(i));
const refresh = { action: { type: 'Action.Execute', verb: 'refresh', data: {} } };
const cardOf = (length: number) => ({
  type: 'AdaptiveCard',
  version: '1.5',
  body: [{ type: 'TextBlock', text: 'é'.repeat(length) }],
  refresh,
});

test('a message with its readers has at most 28 KB, however large its card and text', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12_400 }),
      fc.integer({ min: 0, max: 3000 }),
      (card, text) => {
        const content = { text: 'ß'.repeat(text), card: cardOf(card) };
        const activity = makeActivity(content, { bot: '28:bot', readers });
        expect(sizeOf(activity)).toBeLessThanOrEqual(28 * 1024);
      },
    ),
  );
});

test('all sixty readers are named where there is room, and fewer where there is not', () => {
  const named = (room: number) => {
    const card = fillReaders(cardOf(10), readers, room) as { refresh: { userIds?: string[] } };
    return card.refresh.userIds?.length ?? 0;
  };
  expect(named(28_000)).toBe(60);
  expect(named(4000)).toBe(30);
  expect(named(200)).toBe(0);
});

test('a card that asks for nothing names nobody', () => {
  const { refresh: _, ...card } = cardOf(1);
  expect(fillReaders(card, readers, 28_000)).toEqual(card);
});

test('text without a card is plain: nothing in it is markup', () => {
  const content = { text: '<at>Ben</at> **now**', card: null };
  expect(makeActivity(content, { bot: '28:bot', readers })).toEqual({
    type: 'message',
    from: { id: '28:bot' },
    text: '<at>Ben</at> **now**',
    textFormat: 'plain',
  });
});

test.each([
  [429, '', 'tool_unavailable', 7000],
  [412, 'PreconditionFailed', 'tool_unavailable', 0],
  [409, 'Conflict', 'tool_unavailable', 0],
  [500, '', 'tool_unavailable', 0],
  [503, 'ServiceUnavailable', 'tool_unavailable', 0],
  [404, 'ActivityNotFoundInConversation', 'not_found', null],
  [403, 'BotNotInConversationRoster', 'not_allowed', null],
  [403, 'SomethingNew', 'not_allowed', null],
  [401, '', 'not_allowed', null],
  [413, 'MessageSizeTooBig', 'internal', null],
  [400, 'BadSyntax', 'internal', null],
])('%i %s is %s', (status, code, meaning, passes) => {
  const refusal = new ConnectorRefusal(status, { code, message: 'no', retryAfter: '7' });
  const error = explainTeamsError(refusal, 'post a message', now);
  expect([error.code, error.passesAfterMs]).toEqual([meaning, passes]);
});

test('a lost connection passes', () => {
  const error = explainTeamsError(new TypeError('fetch failed'), 'post a message', now);
  expect([error.code, error.passesAfterMs]).toEqual(['tool_unavailable', 0]);
});

test.each([
  ['invalid_client: AADSTS7000215: Invalid client secret provided.', 'MicrosoftAppPassword'],
  ['AADSTS7000222: The provided client secret keys are expired.', 'MicrosoftAppPassword'],
  ['AADSTS700016: Application was not found in the directory.', 'MicrosoftAppId'],
  ['AADSTS90002: Tenant not found.', 'MicrosoftAppTenantId'],
  ['ManagedIdentityCredential authentication failed', 'UserAssignedMSI'],
])('%s says what to mend', (message, words) => {
  const error = explainSignIn(new Error(message));
  expect(error.code).toBe('not_allowed');
  expect(error.message).toContain(words);
});

test('a sign-in that cannot be reached passes', () => {
  expect(explainSignIn(new Error('getaddrinfo ENOTFOUND')).passesAfterMs).toBe(0);
});

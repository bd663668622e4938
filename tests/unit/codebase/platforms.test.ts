// Chat platforms have one shape, and aren't named outside their folders.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { chatPlatforms } from '#app/platforms.ts';
import { drawForChat } from '#chat/outbox/draw-message.ts';
import { PlatformName } from '#domain/platform-name.ts';
import { readInstance } from '../../codebase/modules.ts';
import { samples } from '../../fixtures/plans.ts';
import { webhookChat } from '../../fixtures/webhook-chat/platform.ts';

const root = join(import.meta.dirname, '../../..');
const platforms = [...chatPlatforms, webhookChat];

describe.each(platforms.map((platform) => [platform.name, platform] as const))(
  '%s',
  (name, platform) => {
    test('has a name that can begin others, a title and a guide', () => {
      expect(PlatformName.parse(name)).toBe(name);
      expect(platform.title).not.toBe('');
      expect(existsSync(join(root, platform.guide))).toBe(true);
    });

    test('is off where nothing is set', () => {
      const { chats } = loadConfig({}, '/nowhere', [platform]);
      expect(chats).toEqual([{ platform, setup: null }]);
    });

    test.each(Object.entries(samples))(
      'draws a plan that is %s, by its name and with its words',
      (_, facts) => {
        const message = { text: 'Here it is.', parts: null, session: null, superseded: false };
        const { text, card } = drawForChat(platform.drawing, { ...message, facts });
        expect(JSON.stringify(card)).toContain(facts.plan.id);
        expect(text).not.toBe('');
        const notice = drawForChat(platform.drawing, { ...message, facts: null });
        expect(JSON.stringify(notice.card)).toContain('Here it is.');
        expect(notice.text).toContain('Here it is.');
      },
    );
  },
);

test('no two have the same name, and one that was added is all that an instance serves', () => {
  const names = platforms.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const set = {
    WEBHOOK_CHAT_URL: 'http://127.0.0.1:1',
    WEBHOOK_CHAT_SECRET: 'a-secret-of-the-chat',
  };
  const { chats } = loadConfig(set, '/nowhere', platforms);
  expect(chats.filter(({ setup }) => setup !== null).map(({ platform }) => platform.name)).toEqual([
    'webhook-chat',
  ]);
});

const ownNames = [
  /^adapters\/(slack|teams)\//,
  /^adapters\/console\//,
  /^src\/(chat|db\/chat)\/(slack|teams)-/,
  /^src\/(chat|domain\/people)\/user-groups\.ts$/,
  /^src\/db\/chat\/(alone|places)\.ts$/,
  /^src\/domain\/people\/identity\.ts$/,
  /^src\/api\/routes\/settings\.ts$/,
  /^bench\//,
];

test('nothing else names one', () => {
  const naming = readInstance(root).filter(
    ({ path, text }) => /'(slack|teams)'/.test(text) && !ownNames.some((own) => own.test(path)),
  );
  expect(naming.map(({ path }) => path)).toEqual([]);
});

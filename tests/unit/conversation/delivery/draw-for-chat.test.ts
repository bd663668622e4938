import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { slackDrawing } from '#adapters/slack/platform.ts';
import { teamsDrawing } from '#adapters/teams/platform.ts';
import { writeCall } from '#cards/calls-to-action.ts';
import { measureCard, platformLimits } from '#cards/limits.ts';
import { writeMessage } from '#cards/message-text.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { VisibleMessage } from '#chat/outbox/delivery-context.ts';
import { drawForChat } from '#chat/outbox/draw-message.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { checkSlackMessage } from '../../../fixtures/block-kit.ts';
import { makeHugeFacts, samples } from '../../../fixtures/plans.ts';
import { makeSession, sessions } from '../../../fixtures/sessions.ts';

const drawings = { slack: slackDrawing, teams: teamsDrawing };

const long = Array.from({ length: 300 }, (_, i) => `${i} ${'<!channel> & ש'.repeat(80)}`).join(
  '\n',
);
const facts = samples.proposed;

const call = writeCall({ kind: 'plan', tone: 'neutral' });
const asking: Pick<VisibleMessage, 'text' | 'parts'> = {
  text: `Look.\n${call}`,
  parts: {
    kind: 'answer',
    facts: { lines: [{ text: 'Look.' }], questions: [] },
    action: { kind: 'plan', tone: 'neutral' },
  },
};

function objections(content: ReturnType<typeof drawForChat>): string[] {
  return checkSlackMessage({ text: content.text, blocks: content.card as unknown[] });
}

describe('a message of the bot', () => {
  it.each([
    ['a short text', 'Done.', null],
    ['a long text', long, null],
    ['a short text above a card', 'Look at this.', facts],
    ['a long text above the largest card', long, makeHugeFacts()],
  ])('is taken by both platforms: %s', async (_, text, shown) => {
    for (const superseded of [false, true]) {
      const message = { text, facts: shown, session: null, parts: null, superseded };
      expect(objections(drawForChat(slackDrawing, message))).toEqual([]);
      await nextTurn();
      expect(measureCard(drawForChat(teamsDrawing, message).card)).toBeLessThanOrEqual(
        platformLimits.teams.payload,
      );
      await nextTurn();
    }
  });

  it.each(['slack', 'teams'] as const)(
    'on %s keeps the text and all buttons of its card',
    (platform) => {
      const message = {
        text: long,
        facts: makeHugeFacts(),
        session: null,
        parts: null,
        superseded: false,
      };
      const drawn = JSON.stringify(drawForChat(drawings[platform], message).card);
      expect(drawn).toContain('0 <!channel>');
      for (const label of ['Review', 'Propose changes', 'Reject']) expect(drawn).toContain(label);
    },
  );

  it.each(['slack', 'teams'] as const)('on %s has no buttons once it is superseded', (platform) => {
    const message = { text: 'Look.', facts, session: null, parts: null, superseded: true };
    const drawn = JSON.stringify(drawForChat(drawings[platform], message));
    expect(drawn).not.toContain('approve"');
    expect(drawn).not.toMatch(/Action\.|"button"/);
    expect(drawn).toContain(`The card of ${facts.plan.id}`);
    expect(drawn).toContain('Look.');
  });

  it.each(['slack', 'teams'] as const)(
    'on %s asks for nothing once it is superseded',
    (platform) => {
      const message = { ...asking, facts, session: null, superseded: true };
      const drawn = JSON.stringify(drawForChat(drawings[platform], message));
      expect(drawn).toContain('Look.');
      expect(drawn).not.toContain(JSON.stringify(call).slice(1, -1));
    },
  );

  it('is the same content for the same message, so that it is not sent again', () => {
    const message = { text: 'Look.', facts, session: null, parts: null, superseded: false };
    expect(drawForChat(slackDrawing, message)).toEqual(
      drawForChat(slackDrawing, structuredClone(message)),
    );
  });

  it('says in its text for notifications what it says', () => {
    const message = { text: 'a <!here>', facts, session: null, parts: null, superseded: false };
    expect(drawForChat(slackDrawing, message).text).toMatch(/^a &lt;!here&gt;\n/);
    expect(drawForChat(teamsDrawing, message).text).toBe('a <!here>');
  });

  it.each(['executing', 'completed', 'failed', 'cancelled'] as const)(
    'on Slack, where its text is read aloud in place of its card, tells how a plan stands that is %s',
    (name) => {
      const shown = samples[name];
      const message = { ...asking, facts: shown, session: null, superseded: false };
      const { text } = drawForChat(slackDrawing, message);
      expect(text).toContain('Look.');
      expect(text).toContain(escapeMrkdwn(viewPlan(shown).state.line));
      expect(text).not.toContain('Reply “approve”');
      const before = drawForChat(slackDrawing, { ...message, facts });
      expect(before.text).toContain(escapeMrkdwn(call));
    },
  );

  it('on Slack is cut where it is too long to be read aloud, and never within an escape', () => {
    for (const long of [
      '<'.repeat(5000),
      'ж'.repeat(5000),
      '計画'.repeat(2500),
      '👍🏽'.repeat(2000),
    ]) {
      const message = { text: long, facts, session: null, parts: null, superseded: false };
      const { text } = drawForChat(slackDrawing, message);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(platformLimits.slack.fallbackBytes);
      expect(Buffer.byteLength(text)).toBeGreaterThan(300);
      expect(text.replaceAll('&lt;', '')).not.toMatch(/&(?!amp;|gt;)/);
    }
  });
});

const say = (
  text: string,
  session: typeof sessions.outline,
  platform: 'slack' | 'teams',
  parts: MessageParts | null = null,
) => drawForChat(drawings[platform], { text, facts: null, session, parts, superseded: false });

describe.each(['slack', 'teams'] as const)('a planning session on %s', (platform) => {
  const live = /session_(approve|changes|reject|answer)/;

  it.each(Object.entries(sessions))(
    '%s is taken, with a text above it that says anything',
    (_, session) => {
      const content = say(long, session, platform);
      if (platform === 'slack') expect(objections(content)).toEqual([]);
      else expect(measureCard(content.card)).toBeLessThanOrEqual(platformLimits.teams.payload);
    },
  );

  it('says once what its card says, and leaves the call to action to the buttons', () => {
    const parts: MessageParts = {
      kind: 'gate',
      facts: {
        lines: [
          { text: 'The outline is ready: 2 phases.' },
          { text: sessions.outline.outline?.summary ?? '', on_card: true },
          { text: '1. Write', on_card: true },
        ],
      },
      action: { kind: 'gate', gate: 'outline', tone: 'neutral' },
    };
    const text = writeMessage(parts, '');
    const content = say(text, sessions.outline, platform, parts);
    const drawn = JSON.stringify(content.card);
    expect(drawn).toContain('The outline is ready');
    expect(drawn).not.toContain('Reply “approve”');
    expect(drawn).not.toContain('"1. Write"');
    // For clients that show no blocks.
    const { card } = content as { card: { body?: unknown } };
    const seen = JSON.stringify(card.body ?? card);
    expect(seen.split('The first newsletter is written')).toHaveLength(2);
    expect(drawn).toMatch(live);
    expect(content.text).toContain('Reply “approve”');
  });

  it('is text alone where there is nothing to decide', () => {
    for (const session of [sessions.answered, makeSession({ status: 'running' })]) {
      const drawn = JSON.stringify(say('There are 3 files.', session, platform).card);
      expect(drawn).toContain('There are 3 files.');
      expect(drawn).not.toMatch(/Planning|Waiting|Done/);
    }
  });

  it.each([
    ['outline', 'approve', '✓ Approved by ben, 15:02'],
    ['roadmap', 'changes', '↻ Changes requested by ben, 15:02'],
    ['schedule', 'reject', '✕ Rejected by ben, 15:02'],
    ['question', 'said', '✓ Answered by ben, 15:02'],
    ['offers', 'said', '✓ Answered by ben, 15:02: “Plan a series”'],
    ['rfc', 'reject', '✕ Skipped by ben, 15:02'],
    ['budget', 'approve', '✓ Continued by ben, 15:02'],
    ['escalation', 'changes', '↻ Changed by ben, 15:02'],
    ['aborted', 'said', '✓ Retried by ben, 15:02'],
  ] as const)(
    '%s that was decided by "%s" says who and when, and has no live button',
    (name, kind, words) => {
      const at = '2026-02-03T14:02:00.000Z';
      const over = { kind, by: 'ben', at, reply: 'Plan a series' };
      const drawn = JSON.stringify(say('Said.', { ...sessions[name], over }, platform).card);
      expect(drawn).toContain(words);
      expect(drawn).not.toMatch(live);
    },
  );
});

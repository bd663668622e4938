import { describe, expect, it } from 'vitest';
import { measureCard, teamsLimits } from '#cards/limits.ts';
import { drawForChat } from '#jobs/draw-for-chat.ts';
import { checkSlackMessage } from '#tests/fixtures/block-kit.ts';
import { makeHugeFacts, samples } from '#tests/fixtures/plans.ts';

const long = Array.from({ length: 300 }, (_, i) => `${i} ${'<!channel> & ש'.repeat(80)}`).join(
  '\n',
);
const facts = samples.proposed;

/** What Slack would object to; cards are blocks there. */
function objections(content: ReturnType<typeof drawForChat>): string[] {
  return checkSlackMessage({ text: content.text, blocks: content.card as unknown[] });
}

describe('a message of the bot', () => {
  it.each([
    ['a short text', 'Done.', null],
    ['a long text', long, null],
    ['a short text above a card', 'Look at this.', facts],
    ['a long text above the largest card', long, makeHugeFacts()],
  ])('is taken by both platforms: %s', (_, text, shown) => {
    for (const superseded of [false, true]) {
      const said = { text, facts: shown, superseded };
      expect(objections(drawForChat('slack', said))).toEqual([]);
      expect(measureCard(drawForChat('teams', said).card)).toBeLessThanOrEqual(teamsLimits.payload);
    }
  });

  it.each(['slack', 'teams'] as const)(
    'on %s keeps the text and all buttons of its card',
    (platform) => {
      const said = { text: long, facts: makeHugeFacts(), superseded: false };
      const drawn = JSON.stringify(drawForChat(platform, said).card);
      expect(drawn).toContain('0 <!channel>');
      for (const label of ['Approve', 'Propose changes', 'Reject']) expect(drawn).toContain(label);
    },
  );

  it.each(['slack', 'teams'] as const)('on %s has no buttons once it is superseded', (platform) => {
    const said = { text: 'Look.', facts, superseded: true };
    const drawn = JSON.stringify(drawForChat(platform, said));
    expect(drawn).not.toContain('approve"');
    expect(drawn).not.toMatch(/Action\.|"button"/);
    expect(drawn).toContain(`The card of ${facts.plan.id}`);
    expect(drawn).toContain('Look.');
  });

  it('is the same content for the same message, so that it is not sent again', () => {
    const said = { text: 'Look.', facts, superseded: false };
    expect(drawForChat('slack', said)).toEqual(drawForChat('slack', structuredClone(said)));
  });

  it('says in its text for notifications what it says', () => {
    expect(drawForChat('teams', { text: 'a <!here>', facts, superseded: false }).text).toBe(
      'a &lt;!here&gt;',
    );
  });
});

// Every visible state has a card and a picture within both platforms' limits.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureCard, platformLimits } from '#cards/limits.ts';
import { PlanStatus } from '#domain/plan/plan.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import { checkSlackMessage, checkSlackView } from '../../fixtures/block-kit.ts';
import { type CardState, cardStates, drawState } from '../../pictures/states.ts';

const states: [string, CardState][] = Object.entries(cardStates);
const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'cards');

describe('the states of cards', () => {
  it('are all there are: each status of a plan, and each thing a session can wait for', () => {
    const statuses = new Set(states.flatMap(([, { said }]) => said?.facts?.plan.status ?? []));
    expect([...statuses].sort()).toEqual([...PlanStatus.options].sort());
    const pauses = new Set(
      states.flatMap(([, { said }]) => {
        const { pause } = said?.session ?? { pause: null };
        return pause === null ? [] : [pause.kind === 'gate' ? pause.gate : pause.kind];
      }),
    );
    expect([...pauses].sort()).toEqual(
      ['budget', 'escalation', 'outline', 'questions', 'rfc', 'roadmap', 'schedule'].sort(),
    );
    expect(Object.keys(cardStates)).toEqual(
      expect.arrayContaining([
        ...['proposed', 'new-version', 'approved', 'running', 'waiting', 'human-task', 'failed'],
        ...['completed', 'needs-review', 'stale', 'expired', 'cancelled', 'question', 'rfc'],
        ...['budget', 'portfolio-conflict', 'policy'],
      ]),
    );
  });

  it('each have a sheet of pictures on both platforms, and no picture is left over', () => {
    const wanted = states.flatMap(([name]) => [`${name}-slack.webp`, `${name}-teams.webp`]);
    expect(readdirSync(folder).sort()).toEqual([...wanted, 'README.md', 'drawn.json'].sort());
  });

  it.each(states)('%s is a message or a window that Slack takes', (_, state) => {
    const { text, card, plain } = drawState('slack', state);
    if (state.said === null && state.place === 'window') {
      expect(checkSlackView(card)).toEqual([]);
      return;
    }
    expect(checkSlackMessage({ text, blocks: card as unknown[] })).toEqual([]);
    if (plain === undefined) return;
    expect(checkSlackMessage({ text, blocks: plain as unknown[] })).toEqual([]);
    expect(JSON.stringify(plain)).not.toContain('"type":"plan"');
  });

  it.each(states)(
    '%s is a card that the official renderer, its schema and Teams take',
    (_, state) => {
      const { card } = drawState('teams', state);
      expect(checkAdaptiveCard(card)).toEqual([]);
      expect(measureCard(card)).toBeLessThanOrEqual(platformLimits.teams.payload);
    },
  );

  it('would fail with anything that the version for Teams does not know', () => {
    const { card } = drawState('teams', cardStates.proposed);
    const text = { type: 'TextBlock', text: 'Hello', tone: 'loud' };
    const body = [text, { type: 'Carousel' }, { type: 'Column', items: [], width: 'auto' }];
    expect(checkAdaptiveCard({ ...Object(card), hint: 1, body })).toEqual(
      expect.arrayContaining([
        'AdaptiveCard has no hint',
        'TextBlock has no tone',
        'no such type: Carousel',
      ]),
    );
  });

  it('completed keeps only what decides nothing', () => {
    for (const platform of ['slack', 'teams'] as const) {
      const drawn = JSON.stringify(drawState(platform, cardStates.completed).card);
      const actions = new Set(drawn.match(/\\?"action\\?":\\?"[a-z_]+/g) ?? []);
      expect([...actions].every((one) => one.endsWith('save_playbook'))).toBe(true);
    }
  });

  it.each([
    'rejected',
    'cancelled',
    'expired',
    'superseded',
    'outline-approved',
    'overtaken',
  ] as const)('%s is decided and has no live button', (name) => {
    for (const platform of ['slack', 'teams'] as const) {
      const drawn = JSON.stringify(drawState(platform, cardStates[name]).card);
      expect(drawn).not.toMatch(/"type":"(?:button|Action\.(?:Execute|Submit|ShowCard))"/);
    }
  });
});

it.each(states)(
  '%s has no symbol but the shield that a platform draws as a coloured emoji',
  (_, state) => {
    for (const platform of ['slack', 'teams'] as const) {
      const drawn = JSON.stringify(drawState(platform, state)).replaceAll(/\u{1f6e1}\ufe0f?/gu, '');
      expect(drawn.match(/\p{Extended_Pictographic}/gu) ?? []).toEqual([]);
    }
  },
);

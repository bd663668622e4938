import { describe, expect, it } from 'vitest';
import { drawAdaptiveCard, drawBlocks } from '#cards/expand.ts';
import { fitCard, fitText, measureBlocks, measureCard, platformLimits } from '#cards/limits.ts';
import { drawTable } from '#cards/table.ts';
import { moreLines, viewNotice } from '#cards/text.ts';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { checkSlackMessage } from '../../fixtures/block-kit.ts';
import { makeFacts, makeHugeFacts, makeStep, samples } from '../../fixtures/plans.ts';

const proposed = viewPlan(samples.proposed);
const titled = (length: number): PlanView => ({ ...proposed, title: 'x'.repeat(length) });

function headerOf(view: PlanView): string {
  const [header] = drawBlocks(view).blocks;
  return JSON.stringify(header?.text);
}

describe('what Slack takes', () => {
  it('a title at the limit stays, one beyond is cut', () => {
    expect(headerOf(titled(platformLimits.slack.headerText))).toContain(`"${'x'.repeat(150)}"`);
    expect(headerOf(titled(platformLimits.slack.headerText + 1))).toContain(
      `"${'x'.repeat(149)}…"`,
    );
  });

  it.each([platformLimits.slack.sectionText, platformLimits.slack.sectionText + 1])(
    'a sentence of %i characters is taken',
    (length) => {
      const message = drawBlocks({ ...proposed, sentence: 'x'.repeat(length) });
      expect(checkSlackMessage(message)).toEqual([]);
      expect(JSON.stringify(message.blocks).includes('…')).toBe(
        length > platformLimits.slack.sectionText,
      );
    },
  );

  it.each([platformLimits.slack.buttonText, platformLimits.slack.buttonText + 1])(
    'a button of %i characters is taken',
    (length) => {
      const [button] = proposed.buttons;
      const buttons = button === undefined ? [] : [{ ...button, label: 'x'.repeat(length) }];
      const message = drawBlocks({ ...proposed, buttons });
      expect(checkSlackMessage(message)).toEqual([]);
      expect(JSON.stringify(message.blocks).includes('xxx…')).toBe(
        length > platformLimits.slack.buttonText,
      );
    },
  );

  it('a step id of 200 characters fits into ids and values whole', () => {
    const id = '"'.repeat(200);
    const [step] = samples.unknown.unknown;
    const unknown = step === undefined ? [] : [{ ...step, id }];
    const message = drawBlocks(viewPlan({ ...samples.unknown, unknown }));
    expect(checkSlackMessage(message)).toEqual([]);
    expect(JSON.stringify(message.blocks)).toContain('settle_retry');
  });

  it('more asks than 50 blocks hold are counted instead', () => {
    const [ask] = viewPlan(samples.unknown).asks;
    const asks = Array.from({ length: 40 }, (_, i) => ({
      ...(ask ?? viewPlan(samples.waiting).asks[0]),
      step_id: `${i}`,
    })) as PlanView['asks'];
    const { text, blocks } = drawBlocks({ ...proposed, asks });
    expect(checkSlackMessage({ text, blocks })).toEqual([]);
    expect(JSON.stringify(blocks)).toMatch(/… and 3\d more/);
  });

  it.each([13_000, 13_001])('%i characters in all', (total) => {
    const blank = { ...proposed, sections: [], sentence: '' };
    const draw = (view: PlanView) => [view.sentence, view.title];
    const base = measureBlocks(draw({ ...blank, title: '' }));
    const fitted = fitCard(
      { ...blank, title: '', sentence: 'x'.repeat(total - base) },
      draw,
      (drawn) => measureBlocks(drawn) <= platformLimits.slack.message,
    );
    expect(measureBlocks(fitted) === total).toBe(total <= platformLimits.slack.message);
    expect(measureBlocks(fitted)).toBeLessThanOrEqual(platformLimits.slack.message);
  });
});

describe('what Teams takes', () => {
  it('at most three buttons share a row', () => {
    const [button] = proposed.buttons;
    if (button === undefined) throw new Error('The sample has no buttons.');
    const { body } = drawAdaptiveCard({ ...proposed, buttons: Array(7).fill(button) });
    const rows = (body as { type: string; actions?: unknown[] }[]).filter(
      ({ type }) => type === 'ActionSet',
    );
    expect(rows.map(({ actions }) => actions?.length)).toEqual([3, 3, 1]);
  });

  it.each([platformLimits.teams.payload, platformLimits.teams.payload + 1])('%i bytes', (bytes) => {
    const draw = (view: PlanView) => ({ text: view.sentence });
    const base = measureCard(draw({ ...proposed, sentence: '' }));
    const drawn = fitCard(
      {
        ...proposed,
        sentence: `${'語'.repeat(Math.floor((bytes - base) / 3))}${'x'.repeat((bytes - base) % 3)}`,
      },
      draw,
      (card) => measureCard(card) <= platformLimits.teams.payload,
    );
    expect(measureCard(drawn) === bytes).toBe(bytes <= platformLimits.teams.payload);
    expect(measureCard(drawn)).toBeLessThanOrEqual(platformLimits.teams.payload);
  });
});

describe('too much', () => {
  it('is counted, and the decision stays possible', () => {
    const view = viewPlan(makeHugeFacts());
    const blocks = JSON.stringify(drawBlocks(view).blocks);
    const card = JSON.stringify(drawAdaptiveCard(view));
    for (const drawn of [blocks, card]) {
      expect(drawn).toMatch(/… and \d+ more|\d+ lines/);
      expect(drawn).toContain('Review');
      expect(drawn).not.toContain('"Approve"');
      expect(drawn).toContain('Waiting for you');
    }
  });

  it('leaves no effect out of a section of Slack without asking for a review', () => {
    const steps = Array.from({ length: 10 }, (_, i) =>
      makeStep(`${i + 1}`, {
        description: 'Tidy up. '.repeat(20),
        args: { path: `${i}.md`, content: `${'x'.repeat(150)} end ${i}` },
      }),
    );
    const facts = makeFacts({ planner_model: 'some-model' }, steps);
    const view = viewPlan(facts);
    expect(view.buttons[0]?.label).toBe('Approve');
    const drawn = JSON.stringify(drawBlocks(view).blocks);
    const missing = steps.filter((_, i) => !drawn.includes(`end ${i}`));
    expect(missing.length === 0).toBe(drawn.includes('countersign:approve'));
    expect(drawn).toContain('Review');
  });

  it('asks for a review where a card shows fewer calls than there are, and says how many', () => {
    const steps = Array.from({ length: 14 }, (_, i) => makeStep(`${i + 1}`));
    const view = viewPlan(makeFacts({}, steps));
    expect(view.sections[0]).toMatchObject({
      hidden: 2,
      more: '… and 2 more calls; 14 of 14 steps change something or send data out',
    });
    expect(view.buttons.map(({ label, style }) => [label, style])).toEqual([
      ['Review', 'primary'],
      ['Propose changes', 'plain'],
      ['Reject', 'plain'],
    ]);
  });

  it('text is cut from its end and the rest is counted', () => {
    const view = viewNotice(Array.from({ length: 10 }, (_, i) => `line ${i}`).join('\n'));
    const fits = (n: number) => (lines: string[]) => lines.length <= n;
    const draw = ({ paragraphs, more }: typeof view) => [
      ...paragraphs,
      ...(more === 0 ? [] : [moreLines(more)]),
    ];
    expect(fitText(view, draw, fits(10))).toHaveLength(10);
    expect(fitText(view, draw, fits(9)).at(-1)).toBe('… and 2 more lines');
  });
});

it.each([
  [1, 20],
  [100, 40],
  [100, 5000],
])('a table of %i rows with cells of %i characters is one that Slack takes', (rows, length) => {
  const cell = 'x'.repeat(length);
  const blocks = drawTable({
    caption: 'Table',
    columns: ['First', 'Second'],
    rows: Array.from({ length: rows }, () => [cell, '']),
  });
  const checks = checkSlackMessage({ text: 'Table', blocks });
  // Callers leave out rows until the message fits.
  expect(checks.filter((check) => !check.startsWith('msg_blocks_too_long'))).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import {
  type Drawn,
  drawAdaptiveCard,
  drawAdaptiveText,
  drawBlocks,
  drawTextBlocks,
} from '#cards/expand.ts';
import { drawText, viewNotice } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import { checkSlackMessage } from '../../fixtures/block-kit.ts';
import { makeHugeFacts, samples } from '../../fixtures/plans.ts';

function valuesOf(node: unknown, key: string): unknown[] {
  if (Array.isArray(node)) return node.flatMap((item) => valuesOf(item, key));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === key ? [value, ...valuesOf(value, key)] : valuesOf(value, key),
  );
}

const running = { status: 'executing', execution_started_at: '2026-02-03T14:03:00.000Z' } as const;
const huge = makeHugeFacts();
const everything = Object.entries({
  ...samples,
  huge,
  hugeRunning: { ...huge, plan: { ...huge.plan, ...running } },
});

describe('every state on every surface', () => {
  it.each(everything)(
    '%s is a card the official renderer accepts, within Teams’ size',
    (_, facts) => {
      const card = drawAdaptiveCard(viewPlan(facts));
      expect(checkAdaptiveCard(card)).toEqual([]);
      expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(25 * 1024);
      expect(valuesOf(card, 'type').filter((type) => type === 'Action.Execute').length).toBe(
        valuesOf(card, 'fallback').length,
      );
    },
  );

  it.each(everything)('%s is a message Slack accepts', (_, facts) => {
    expect(checkSlackMessage(drawBlocks(viewPlan(facts)))).toEqual([]);
  });

  it.each(Object.entries(samples))('%s says the same in text, card and blocks', (_, facts) => {
    const view = viewPlan(facts);
    const card = valuesOf(drawAdaptiveCard(view).body, 'text').join('');
    const blocks = valuesOf(drawBlocks(view).blocks, 'text')
      .filter((t) => typeof t === 'string')
      .join('');
    const text = drawText(view);
    const words = [view.title, view.state.words, view.sentence, view.facts, view.approvals];
    const lines = view.sections.flatMap((s) =>
      s.inline === '' ? s.lines.map((l) => l.text) : [s.inline],
    );
    for (const word of [...words, ...lines, ...view.asks.map((ask) => ask.text)]) {
      expect(text).toContain(word);
      expect(card).toContain(word);
      expect(blocks).toContain(word);
    }
  });
});

const actionsOf = (card: Drawn) =>
  [card.body, card].flat().flatMap((one) => (one as { actions?: object[] }).actions ?? []);

describe('buttons', () => {
  it('a rejected or cancelled card has none', () => {
    for (const facts of [samples.rejected, samples.cancelled]) {
      const view = viewPlan(facts);
      expect(actionsOf(drawAdaptiveCard(view))).toEqual([]);
      expect(drawBlocks(view).blocks.filter(({ type }) => type === 'actions')).toEqual([]);
    }
  });

  it('keep their order and ask for what they need', () => {
    expect(actionsOf(drawAdaptiveCard(viewPlan(samples.proposed)))).toMatchObject([
      {
        type: 'Action.Execute',
        title: 'Approve',
        verb: 'approve',
        style: 'positive',
        data: { action: 'approve' },
      },
      {
        type: 'Action.ShowCard',
        title: 'Propose changes',
        card: {
          body: [
            { type: 'Input.Text', id: 'text:propose_changes', isMultiline: true, isRequired: true },
          ],
          actions: [{ type: 'Action.Execute', verb: 'propose_changes' }],
        },
      },
      { type: 'Action.ShowCard', title: 'Reject', card: { body: [{ isRequired: false }] } },
      { type: 'Action.Execute', title: 'Details' },
    ]);
  });

  it('have an input id of their own each', () => {
    for (const [, facts] of everything) {
      const ids = valuesOf(drawAdaptiveCard(viewPlan(facts)), 'id');
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe('a form', () => {
  const view = viewPlan(samples.filling);

  it('is inputs of the card, each checked by the client as far as it can', () => {
    const inputs = valuesOf(drawAdaptiveCard(view).body, 'card')
      .flatMap((card) => valuesOf(card, 'items'))
      .flat();
    expect(inputs).toMatchObject([
      {
        type: 'Input.Number',
        id: 'field:2:amount',
        label: 'Amount in EUR',
        placeholder: '12.50',
        min: 0,
        isRequired: true,
        errorMessage: 'Enter a number of at least 0.',
      },
      { type: 'Input.Number', id: 'field:2:nights', label: 'Nights (optional)', isRequired: false },
      {
        type: 'Input.ChoiceSet',
        id: 'field:2:room',
        isRequired: true,
        errorMessage: 'Choose one.',
        choices: [
          { title: 'Blue', value: 'Blue' },
          { title: 'g (“Green”)', value: 'g' },
        ],
      },
      { type: 'Input.Date', id: 'field:2:day', label: 'Day (“the day of arrival”, optional)' },
      { type: 'Input.Text', id: 'field:2:invoice', isMultiline: false, maxLength: 1000 },
      { type: 'Input.Text', id: 'field:2:remarks', isMultiline: true, maxLength: 4000 },
      {
        type: 'Input.Toggle',
        id: 'field:2:paid',
        title: 'Yes',
        valueOn: 'true',
        valueOff: 'false',
      },
    ]);
  });

  it('is shown in Slack with a button that opens one thing: the window in which it is filled in', () => {
    const { blocks } = drawBlocks(view);
    expect(JSON.stringify(blocks)).toContain('• Room · one of 2: Blue, g (“Green”)');
    const [button, ...others] = valuesOf(blocks, 'elements')
      .flat()
      .filter((node) => JSON.stringify(node).includes('"Fill in"'));
    expect(button).toMatchObject({ type: 'button', value: expect.stringContaining('"') });
    expect(button).not.toHaveProperty('url');
    expect(others).toEqual([]);
  });

  it('sends back a choice exactly as the plan names it, whatever it looks like', () => {
    const value = '{{DATE(x)}} "\\ <!here>';
    const form = [{ name: 'f', type: 'choice', options: [value] }];
    const waiting = samples.filling.waiting.map((step) => ({ ...step, output: { form } }));
    const card = drawAdaptiveCard(viewPlan({ ...samples.filling, waiting }));
    expect(valuesOf(card, 'value')).toContain(value);
  });

  it('is drawn whole even where everything else is as long as it may be', () => {
    const facts = { ...huge, plan: { ...huge.plan, ...running } };
    const fields = viewPlan(facts).asks.find(({ kind }) => kind === 'person')?.fields ?? [];
    expect(fields).toHaveLength(20);
    const waitingOnly = { ...facts, unknown: [] };
    const ids = valuesOf(drawAdaptiveCard(viewPlan(waitingOnly)), 'id').map(String);
    expect(ids.filter((id) => id.startsWith('field:')).length).toBeGreaterThanOrEqual(20);
  });
});

it('untrusted text as a step’s id still comes back as it was', () => {
  const id = '{{DATE(x)}} "\\ <!here>';
  const [step] = samples.unknown.unknown;
  const facts = { ...samples.unknown, unknown: step === undefined ? [] : [{ ...step, id }] };
  const values = valuesOf(drawBlocks(viewPlan(facts)).blocks, 'value').map(String);
  expect(values.some((value) => JSON.parse(value).step_id === id)).toBe(true);
  expect(valuesOf(drawAdaptiveCard(viewPlan(facts)), 'step_id')).toContain(id);
});

describe('answers', () => {
  const texts = [
    viewNotice("I can't book flights.\nI can read and write files.", {
      link: { url: 'http://127.0.0.1:3978/', label: 'Open the card' },
    }),
    viewNotice('語 '.repeat(400_000)),
    viewNotice('a line <!channel>\n'.repeat(5000), { heading: 'x'.repeat(500) }),
  ];

  it.each(texts.map((text, i) => [i, text] as const))('text %i fits both platforms', (_, text) => {
    const card = drawAdaptiveText(text);
    expect(checkAdaptiveCard(card)).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(25 * 1024);
    expect(checkSlackMessage(drawTextBlocks(text))).toEqual([]);
  });

  it('count the lines they leave out', () => {
    const view = viewNotice('line\n'.repeat(5000));
    expect(view.more).toBe(4920);
    const shown = drawTextBlocks(view).blocks.filter(({ type }) => type === 'rich_text').length;
    expect(JSON.stringify(drawTextBlocks(view).blocks)).toContain(
      `… and ${(5000 - shown).toLocaleString('en-US')} more lines`,
    );
  });
});

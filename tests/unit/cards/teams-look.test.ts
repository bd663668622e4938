// Cards allow for Teams clients' colours, screen readers and opening buttons.
import { describe, expect, it } from 'vitest';
import { drawAdaptiveCard } from '#cards/expand.ts';
import { viewSession } from '#cards/session-view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { makeFacts, samples } from '../../fixtures/plans.ts';
import { sessions } from '../../fixtures/sessions.ts';

type Node = { [key: string]: unknown };

function nodesOf(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(nodesOf);
  if (typeof node !== 'object' || node === null) return [];
  return [node as Node, ...Object.values(node).flatMap(nodesOf)];
}

const cards = [
  ...Object.entries(samples).map(([name, facts]) => [name, viewPlan(facts)] as const),
  ...Object.entries(sessions).map(
    ([name, facts]) => [`session ${name}`, viewSession(facts)] as const,
  ),
].map(([name, view]) => [name, drawAdaptiveCard(view)] as const);

describe('a card in Teams', () => {
  it.each(cards)('%s has no words in a colour that cannot be read on white', (_, card) => {
    const pale = nodesOf(card).filter(({ color }) => color === 'good' || color === 'warning');
    for (const { text } of pale) expect(String(text).trim()).toHaveLength(1);
  });

  it.each(cards)('%s has a label on every input', (_, card) => {
    const inputs = nodesOf(card).filter(({ type }) => String(type).startsWith('Input.'));
    for (const input of inputs) expect(input).toHaveProperty('label', expect.stringMatching(/\S/));
  });

  it.each(cards)('%s can be read aloud', (_, card) => {
    expect(card.speak).toMatch(/\w+\. \w+/);
    expect(card.speak).not.toMatch(/[<>&▰▱◷✓✕]/u);
    expect(card.speak).not.toMatch(/[.!?…]\./);
  });

  it('marks what ends a plan, and makes nothing of the kind look like the way on', () => {
    const shown = cards.flatMap(([, card]) => nodesOf(card));
    const ending = shown.filter(
      ({ type, verb }) => type === 'Action.Execute' && ['reject', 'cancel'].includes(String(verb)),
    );
    expect(ending.length).toBeGreaterThan(3);
    for (const { style } of ending) expect(style).not.toBe('positive');
  });

  it('says aloud what the person is asked, and nothing that markup could be made of', () => {
    const { speak } = drawAdaptiveCard(viewPlan(samples.waiting));
    expect(speak).toContain('Waiting for you');
    expect(speak).toContain('Step 1b asks you: “Is the room booked?”');
    const hostile = drawAdaptiveCard(viewPlan(makeFacts({ title: '<break time="9s"/> & more' })));
    expect(hostile.speak).toMatch(/^“ ?break time='9s'\/ {2}and more”/);
  });
});

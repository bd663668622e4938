import { describe, expect, it } from 'vitest';
import { defaultPolicy, InteractionPolicy } from '#contracts/policy.ts';
import { type Awaited, callToAction } from '#planner/policy/calls-to-action.ts';
import { describeOutline, describeRoadmap } from '#planner/policy/gate-text.ts';
import { makeOutline, makeRoadmap } from '../tools/desk.ts';

const tones = InteractionPolicy.shape.tone.options;
const awaited: Awaited[] = [
  { kind: 'gate', gate: 'outline' },
  { kind: 'gate', gate: 'roadmap' },
  { kind: 'gate', gate: 'schedule' },
  { kind: 'plan' },
  { kind: 'rfc' },
  { kind: 'budget' },
  { kind: 'escalation' },
  { kind: 'questions', count: 1 },
  { kind: 'questions', count: 3 },
];

describe('calls to action', () => {
  it.each(awaited.map((one) => [JSON.stringify(one), one] as const))(
    'of %s differ by tone, and shout in none',
    (_, one) => {
      const said = tones.map((tone) => callToAction(one, { tone }));
      expect(new Set(said).size).toBe(tones.length);
      for (const text of said) expect(text).not.toMatch(/!|sorry|apolog/i);
    },
  );

  it('name the words that decide exactly, whatever the tone', () => {
    for (const tone of tones) {
      for (const one of awaited.filter(({ kind }) => ['gate', 'plan', 'rfc'].includes(kind))) {
        const text = callToAction(one, { tone });
        for (const word of ['“approve”', '“propose changes: …”', '“reject”'])
          expect(text.split(word)).toHaveLength(2);
      }
    }
  });
});

describe('what a gate shows', () => {
  const policy = (changes: Partial<InteractionPolicy>) => ({ ...defaultPolicy, ...changes });

  it('shows more of an outline the more a person likes to read', () => {
    const outline = { ...makeOutline(), assumptions: ['The date is fixed.'] };
    const short = describeOutline(outline, policy({ conversation_style: 'concise' }));
    const normal = describeOutline(outline, policy({}));
    const coach = describeOutline(outline, policy({ conversation_style: 'coach' }));
    expect(short.split('\n')).toHaveLength(3);
    expect(normal).toContain('\n- Prepare\n');
    expect(normal).not.toContain('Review with legal');
    expect(coach).toContain('- Prepare\n  - Design the page\n  - Review with legal');
    expect(coach).toContain('nothing runs before you approve');
    for (const text of [short, normal, coach]) {
      expect(text).toContain('I assume: The date is fixed.');
      expect(text.match(/“approve”/g)).toHaveLength(1);
    }
  });

  it('says which order was chosen and why, and the others to those who like to read', () => {
    const [roadmap, outline] = [makeRoadmap(), makeOutline()];
    const short = describeRoadmap(roadmap, outline, policy({ conversation_style: 'concise' }));
    expect(short.split('\n').slice(0, 2)).toEqual([
      'The order is ready: “as said”, in 2 stages.',
      'It is what you said.',
    ]);
    const normal = describeRoadmap(roadmap, outline, policy({}));
    expect(normal).toContain('1. Design the page\n2. Review with legal');
    expect(normal).not.toContain('one at a time');
    const full = describeRoadmap(roadmap, outline, policy({ talkativeness: 1 }));
    expect(full).toContain('- “one at a time”: Nothing runs beside anything else.');
  });

  it('hides what is beyond the length that is wanted, and says how much', () => {
    const outline = makeOutline();
    const [first] = outline.nodes;
    if (first === undefined) throw new Error('an outline has nodes');
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...first,
      id: `t${index}`,
      title: `Task ${index}`,
      structure: 'task' as const,
      level: 2,
    }));
    const text = describeOutline({ ...outline, nodes: many }, policy({}));
    expect(text).toContain('40 tasks');
    expect(text).toContain('- and 33 more lines');
  });
});

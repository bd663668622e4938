import { describe, expect, it } from 'vitest';
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import { joinLines } from '#domain/planning/asked-question.ts';
import { describeOutline, describeRoadmap } from '#planner/policy/gate-text.ts';
import { makeOutline, makeRoadmap } from '../tools/tool-context.ts';

const outlineText = (...args: Parameters<typeof describeOutline>) =>
  joinLines(describeOutline(...args));
const roadmapText = (...args: Parameters<typeof describeRoadmap>) =>
  joinLines(describeRoadmap(...args));

describe('what a gate shows', () => {
  const policy = (changes: Partial<InteractionPolicy>) => ({ ...defaultPolicy, ...changes });

  it('shows more of an outline the more a person likes to read', () => {
    const outline = { ...makeOutline(), assumptions: ['The date is fixed.'] };
    const short = outlineText(outline, policy({ conversation_style: 'concise' }));
    const normal = outlineText(outline, policy({}));
    const coach = outlineText(outline, policy({ conversation_style: 'coach' }));
    expect(short.split('\n')).toHaveLength(2);
    expect(normal).toContain('\n- Prepare\n');
    expect(normal).not.toContain('Review with legal');
    expect(coach).toContain('- Prepare\n  - Design the page\n  - Review with legal');
    expect(coach).toContain('Nothing runs until you approve');
    for (const text of [short, normal, coach]) {
      expect(text).toContain('I assume: The date is fixed.');
    }
  });

  it('says which order was chosen and why, and the others to those who like to read', () => {
    const [roadmap, outline] = [makeRoadmap(), makeOutline()];
    const short = roadmapText(roadmap, outline, policy({ conversation_style: 'concise' }));
    expect(short.split('\n').slice(0, 2)).toEqual([
      'The order is ready: “as requested”, in 2 stages.',
      'It is what you said.',
    ]);
    const normal = roadmapText(roadmap, outline, policy({}));
    expect(normal).toContain('1. Design the page\n2. Review with legal');
    expect(normal).not.toContain('one at a time');
    const full = roadmapText(roadmap, outline, policy({ talkativeness: 1 }));
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
    const text = outlineText({ ...outline, nodes: many }, policy({}));
    expect(text).toContain('40 tasks');
    expect(text).toContain('- and 33 more lines');
  });
});

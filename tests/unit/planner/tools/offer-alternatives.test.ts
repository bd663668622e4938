import { describe, expect, it } from 'vitest';
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import { type Alternative, checkAlternatives } from '#planner/policy/options.ts';
import { craftOptions } from '#planner/tools/offer-alternatives.ts';
import { makeDesk } from './tool-context.ts';

const three: Alternative[] = [
  { name: 'One file', text: 'Write everything into notes.md', differs: 'Simple; grows long.' },
  {
    name: 'A file a day',
    text: 'Create one dated page each morning',
    differs: 'Easy to find by date.',
  },
  {
    name: 'By topic',
    text: 'Sort entries into folders for subjects',
    differs: 'Takes care when saving.',
  },
];
const always = { brainstorming_preference: 'always_offer' } as const;
const question = 'Where should the notes go?';
const craft = (
  options: Alternative[],
  toolContext: ReturnType<typeof makeDesk>,
  confidence = 0.8,
) => craftOptions.execute({ question, options, asked_for: false, confidence }, toolContext);

describe('options', () => {
  it.each<[Partial<InteractionPolicy>, number]>([
    [{ conversation_style: 'concise' }, 2],
    [{ talkativeness: 0.2 }, 2],
    [{}, 3],
    [{ conversation_style: 'coach' }, 3],
  ])('with %j there are %i', async (policy, count) => {
    const outcome = await craft(three, makeDesk({ policy: { ...always, ...policy } }));
    expect(outcome.changes?.offered).toHaveLength(count);
    const text = outcome.changes?.result?.kind === 'question' ? outcome.changes.result.text : '';
    expect(text.match(/^\d\. /gm)).toHaveLength(count);
    expect(text.split('\n')[0]).toBe(question);
  });

  it('are one question, which counts, and the session goes on where it was', async () => {
    const toolContext = makeDesk({ policy: always, state: { stage: 'DRAFT_OUTLINE' } });
    const outcome = await craft(three, toolContext);
    expect(outcome).toMatchObject({
      ends: 'needs_clarification',
      changes: {
        questions_asked: 1,
        pause: { kind: 'questions', resume: 'DRAFT_OUTLINE' },
        result: { questions: [{ id: 'offers', text: question }] },
      },
    });
  });

  it.each<[InteractionPolicy['brainstorming_preference'], number, boolean]>([
    ['on_demand', 0.5, false],
    ['suggest_when_uncertain', 0.39, false],
    ['suggest_when_uncertain', 0.4, true],
    ['suggest_when_uncertain', 0.69, true],
    ['suggest_when_uncertain', 0.7, false],
    ['always_offer', 0.9, true],
  ])('with %s and confidence %d they are offered: %s', async (preference, confidence, offered) => {
    const toolContext = makeDesk({ policy: { brainstorming_preference: preference } });
    const outcome = await craft(three, toolContext, confidence);
    expect(outcome.result.ok).toBe(offered);
    expect(outcome.ends === 'needs_clarification').toBe(offered);
  });

  it('believe the measured confidence rather than what a model says of itself', async () => {
    const composite = { self: 0.9, rules: 1, heuristics: 1, composite: 0.9 };
    const toolContext = makeDesk({
      policy: { brainstorming_preference: 'suggest_when_uncertain' },
      state: { confidence: { COLLECT_CONTEXT: composite } },
    });
    expect((await craft(three, toolContext, 0.5)).result.ok).toBe(false);
  });

  it.each<[string, Partial<InteractionPolicy>]>([
    ['may be asked nothing', { probing_depth: 0 }],
    ['leaves decisions to us', { autonomy: 'high' }],
  ])('are decided for a person who %s, and they read what was taken', async (_, policy) => {
    const outcome = await craft(three, makeDesk({ policy: { ...always, ...policy } }));
    expect(outcome.ends).toBeUndefined();
    expect(outcome.changes?.assumed?.[0]).toMatch(/I assume: One file\./);
  });

  it('are the answer where ideas were asked for and nothing may be asked', async () => {
    const toolContext = makeDesk({ policy: { probing_depth: 0 } });
    const outcome = await craftOptions.execute(
      { question, options: three, asked_for: true, confidence: 0.9 },
      toolContext,
    );
    expect(outcome.ends).toBe('answered');
    expect(outcome.changes?.result).toMatchObject({ kind: 'answer' });
    expect(outcome.changes?.questions_asked).toBeUndefined();
  });
});

describe('what is not good enough', () => {
  const [first, second] = three as [Alternative, Alternative, Alternative];
  const problemsOf = (given: Alternative[]) => checkAlternatives(given, defaultPolicy).problems;
  it.each<[string, Alternative[], RegExp]>([
    ['the same twice', [first, { ...first, name: 'Copy', differs: 'New.' }], /nearly the same/],
    ['no difference', [first, { ...second, differs: second.text }], /how it differs/],
    ['one difference', [first, { ...second, differs: first.differs }], /in the same way/],
    ['one name', [first, { ...second, name: 'one FILE' }], /there twice/],
  ])('%s', async (_, given, problem) => {
    expect(problemsOf(given)).toEqual([expect.stringMatching(problem)]);
    const outcome = await craft(given, makeDesk({ policy: always }));
    expect(outcome.result).toMatchObject({ ok: false, confidence: 0 });
    expect(outcome.changes).toBeUndefined();
  });
});

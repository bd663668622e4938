import { describe, expect, it } from 'vitest';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { styleQuestionId } from '#domain/planning/asked-question.ts';
import type { Pause, PlanningState, SessionResult } from '#domain/planning/state.ts';
import { createProbePreference, styleQuestion } from '#planner/tools/probe-preference.ts';
import { makeDesk } from './tool-context.ts';

function people(known: string[] = [], busy = false) {
  const asked = new Set(known);
  return {
    isKnown: async (user: string) => asked.has(user),
    isBusy: async () => busy,
    claim: async (user: string) => !asked.has(user) && asked.add(user).has(user),
  };
}

const answer: SessionResult = { kind: 'answer', text: 'Two files.' };
const question: SessionResult = {
  kind: 'question',
  text: 'Where?',
  questions: [{ id: 'place', text: 'Where?' }],
};

const pause: Pause = { kind: 'gate', resume: 'DRAFT_ROADMAP', gate: 'outline', digest: null };

function probe(
  options: {
    result?: SessionResult | null;
    policy?: Partial<InteractionPolicy>;
    state?: Partial<PlanningState>;
    port?: ReturnType<typeof people>;
  } = {},
) {
  const { result = answer, policy = {}, state = {}, port = people() } = options;
  const toolContext = makeDesk({
    policy,
    state: { result, pause: null, questions_asked: 1, ...state },
  });
  return createProbePreference(port).execute({}, toolContext);
}

describe('probe_preference', () => {
  it('asks beside an answer, which waits for nothing', async () => {
    const outcome = await probe();
    expect(outcome.changes?.result).toEqual({
      kind: 'answer',
      text: `Two files.\n\n${styleQuestion}`,
      asked: [{ id: styleQuestionId, text: styleQuestion }],
    });
    expect(outcome.changes?.questions_asked).toBeUndefined();
  });

  it('asks a person once, also when two processes want to', async () => {
    const port = people();
    const outcomes = await Promise.all([probe({ port }), probe({ port }), probe({ port })]);
    expect(outcomes.filter(({ changes }) => changes !== undefined)).toHaveLength(1);
    expect((await probe({ port })).changes).toBeUndefined();
  });

  it.each<[string, Parameters<typeof probe>[0]]>([
    ['where nothing may be asked', { policy: { probing_depth: 0 } }],
    ['below another question', { result: question }],
    ['while something waits', { state: { pause } }],
    ['on a day when something of theirs is open', { port: people([], true) }],
    ['before a plan', { result: { kind: 'proposal' } }],
    ['when nothing is said yet', { result: null }],
    ['when the style is known', { port: people(['ana']) }],
  ])('does not ask %s', async (_, options) => {
    const outcome = await probe(options);
    expect(outcome.result).toMatchObject({ ok: true, data: { asked: false } });
    expect(outcome.changes).toBeUndefined();
  });

  it('does not use up its one chance where it cannot ask', async () => {
    const port = people();
    await probe({ port, result: null });
    expect(await port.isKnown('ana')).toBe(false);
  });
});

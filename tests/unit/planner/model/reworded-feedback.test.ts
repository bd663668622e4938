// What becomes of feedback depends on what the model chooses, never on the person's words.
import { describe, expect, it } from 'vitest';
import { systemClock } from '#domain/clock.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { JsonObject } from '#domain/text.ts';
import type { PaidModel } from '#planner/budget/paid-model.ts';
import { createModelReasoner } from '#planner/model/model-reasoner.ts';
import { notes, script } from '../controller/scripted.ts';
import { limits } from '../planners.ts';
import { request } from '../requests.ts';

type Call = [name: string, args: JsonObject];

const feedback = [
  'start a.txt on Monday at nine',
  'do b.txt before a.txt',
  'skip step 2',
  'call it “After lunch” and put the schedule first',
  'Bitte erst am Freitag',
  '逆の順番でお願いします',
  'hmm',
];

const monday = '2099-03-09T09:00:00+01:00';
const moved = { node: '1', not_before: monday, exact: true };
const unchanged = { deadline: null, duration_minutes: null, drop: null };

/** What the model calls in each stage, one call after the other. */
const work: [Stage, Call[]][] = [
  ['COLLECT_CONTEXT', [['plan_propose', notes('a.txt', 'b.txt')]]],
  ['DRAFT_OUTLINE', [['plan_propose', notes('c.txt')]]],
  [
    'DRAFT_ROADMAP',
    [
      [
        'resolve_dependencies',
        { edges: [{ from: '2', to: '1', type: 'FS', lag_minutes: 5, remove: false }] },
      ],
      ['build_roadmap', { prefer: null, reason: null, confidence: null }],
    ],
  ],
  [
    'DRAFT_SCHEDULE',
    [
      [
        'generate_schedule',
        {
          changes: [{ ...moved, ...unchanged }],
          work_on: null,
          rest_on: null,
          in_working_hours: null,
        },
      ],
    ],
  ],
];

function scriptedModel(stage: string): PaidModel {
  const route: Call = ['route_change', { stage, reason: 'as scripted' }];
  const left = new Map<Stage, Call[]>(work.map(([key, calls]) => [key, [...calls]]));
  left.set('SEEK_APPROVAL', [route]);
  let calls = 0;
  return {
    name: 'scripted-model',
    async complete(_, purpose) {
      const [name, args] = left.get(purpose.stage)?.shift() ?? ['answer', {}];
      calls += 1;
      const toolCalls = [{ id: `call-${calls}`, name, arguments: JSON.stringify(args) }];
      const usage = { input_tokens: 1, output_tokens: 1 };
      const reply = { content: '', refusal: null, toolCalls, finishReason: 'stop' as const, usage };
      return { kind: 'reply', reply: { ...reply, cost_usd: 0, attempts: 1 }, remembered: false };
    },
  };
}

async function revise(words: string, stage: string) {
  const model = scriptedModel(stage);
  const { name } = model;
  const reasoner = createModelReasoner({ payFor: () => model, name, limits, clock: systemClock });
  const { planner } = script({}, { reasoner });
  const { signal } = new AbortController();
  const first = request('Write a.txt and b.txt');
  const proposed = await planner.plan(first, signal);
  if (proposed.result.kind !== 'proposal') throw new Error(JSON.stringify(proposed.result));
  const second: PlanningRequest = {
    ...first,
    turn: 2,
    text: words,
    revision: { previous: proposed.result.draft, feedback: [words] },
    decision: { kind: 'changes', by: 'ana', feedback: words },
  };
  const { result, trace } = await planner.plan(second, signal);
  if (result.kind !== 'proposal') throw new Error(JSON.stringify(result));
  return { draft: result.draft, events: trace.flatMap(({ event }) => event ?? []) };
}

describe('feedback', () => {
  it.each([
    ['outline', 'change_outline', { args: { path: 'c.txt' } }],
    ['steps', 'change_outline', { args: { path: 'c.txt' } }],
    ['roadmap', 'change_roadmap', { after: [{ id: '2', type: 'FS', lag_minutes: 5 }] }],
    ['schedule', 'change_schedule', { not_before: monday }],
  ])('taken for %s leads to %s, whatever its words are', async (stage, event, step) => {
    const revised: Awaited<ReturnType<typeof revise>>[] = [];
    for (const words of feedback) revised.push(await revise(words, stage));
    const [first] = revised;
    expect(first?.draft.steps[0]).toMatchObject(step);
    for (const { draft, events } of revised) {
      expect(draft).toEqual(first?.draft);
      expect(events).toContain(event);
    }
  });
});

// The model's choice decides about feedback, not the person's words.
import { describe, expect, it } from 'vitest';
import { systemClock } from '#domain/clock.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { JsonObject } from '#domain/text.ts';
import type { PaidModel } from '#planner/budget/budget.ts';
import { createOperationSearch } from '#planner/catalogue/search-operations.ts';
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
const mondayInUtc = '2099-03-09T08:00:00.000Z';

const about = { title: 'Notes', summary: 'Writes the notes.', confidence: 0.9 };

const draft: Call[] = [
  ['add_steps', { steps: notes('a.txt', 'b.txt').steps }],
  ['submit_plan', about],
];

function scriptedModel(change: Call): PaidModel {
  const left: Call[] = [...draft, change, ['submit_plan', { confidence: 0.9 }]];
  let calls = 0;
  return {
    name: 'scripted-model',
    async complete() {
      const [name, args] = left.shift() ?? ['answer', {}];
      calls += 1;
      const toolCalls = [{ id: `call-${calls}`, name, arguments: JSON.stringify(args) }];
      const usage = { input_tokens: 1, output_tokens: 1 };
      const reply = { content: '', refusal: null, toolCalls, finishReason: 'stop' as const, usage };
      return { kind: 'reply', reply: { ...reply, cost_usd: 0, attempts: 1 }, remembered: false };
    },
  };
}

async function revise(words: string, change: Call) {
  const model = scriptedModel(change);
  const { name } = model;
  const reasoner = createModelReasoner({
    payFor: () => model,
    name,
    limits,
    clock: systemClock,
    catalogue: { search: createOperationSearch(), guarded: new Set() },
  });
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
  it.each<[string, Call, object]>([
    [
      'wording',
      ['edit_steps', { steps: [{ id: '1', args: { path: 'c.txt' } }] }],
      { args: { path: 'c.txt' } },
    ],
    [
      'order',
      ['edit_steps', { steps: [{ id: '1', after: [{ id: '2', type: 'FS', lag_minutes: 5 }] }] }],
      { after: [{ id: '2', type: 'FS', lag_minutes: 5 }] },
    ],
    ['times', ['set_schedule', { ids: ['1'], not_before: monday }], { not_before: mondayInUtc }],
  ])(
    'taken for a change of %s changes just that, whatever its words are',
    async (_, change, step) => {
      const revised: Awaited<ReturnType<typeof revise>>[] = [];
      for (const words of feedback) revised.push(await revise(words, change));
      const [first] = revised;
      expect(first?.draft.steps.find(({ id }) => id === '1')).toMatchObject(step);
      for (const { draft: other, events } of revised) {
        expect(other).toEqual(first?.draft);
        expect(events).toContain('change_outline');
      }
    },
  );
});

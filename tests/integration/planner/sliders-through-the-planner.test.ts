// Sliders in a whole planning run: questions and gates by policy.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/client.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { proposeFiles, resultsIn } from '../../fixtures/model-calls.ts';
import { type OpenAiDouble, type Script, start, type Turn } from '../../fixtures/openai-double.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { limits } from '../../unit/planner/planners.ts';
import { plan } from '../../unit/planner/requests.ts';

let double: OpenAiDouble;
let script: (index: number) => Turn;
let first = 0;

beforeAll(async () => {
  const play: Script = (_, index) => script(index - first);
  double = await start({ script: play });
});
afterAll(() => double.close());

async function run(
  policy: Partial<InteractionPolicy>,
  ...turns: Turn[]
): Promise<PlanningOutcome & { results: string[]; instructions: string }> {
  first = double.requests.length;
  script = (index) => turns[index] ?? proposeFiles(['a.txt', 'b.txt']);
  const model = createChatModel({
    client: createModelClient({ baseUrl: double.url }),
    api: 'chat',
    name: 'gpt-4.1',
  });
  const planner = createMemoryPlanner({ tools: toolsOf(builtins), model, limits });
  const outcome = await plan(planner, 'Write two files', {
    policy: { ...defaultPolicy, ...policy },
  });
  const last = double.requests.at(-1);
  return {
    ...outcome,
    results: last === undefined ? [] : resultsIn(last),
    instructions: last?.messages.map(({ content }) => content ?? '').join('\n') ?? '',
  };
}

function textOf({ result }: PlanningOutcome): string {
  return 'text' in result ? result.text : '';
}

const hedged =
  'I think the backup is complete. Do not simply delete it. It is not very safe. Sorry, I can’t read “a b”!';

describe('the words of a model', () => {
  test.each<Partial<InteractionPolicy>>([
    { conversation_style: 'concise' },
    { talkativeness: 0 },
    { tone: 'clinical' },
    { tone: 'friendly' },
  ])('are shown as it wrote them to a person who wants %o', async (policy) => {
    expect(textOf(await run(policy, { text: hedged }))).toBe(hedged);
  });
});

test.each<[Partial<InteractionPolicy>, string]>([
  [{ conversation_style: 'concise' }, 'At most 2 sentences'],
  [{ conversation_style: 'standard' }, 'At most 6 sentences'],
  [{ conversation_style: 'coach' }, 'Say why'],
  [{ talkativeness: 0 }, 'At most 2 sentences'],
  [{ talkativeness: 1 }, 'At most 20 sentences'],
  [{ tone: 'friendly' }, 'warm'],
  [{ tone: 'clinical' }, 'impersonal'],
])('a model is told of %o', async (policy, words) => {
  expect((await run(policy)).instructions).toContain(words);
});

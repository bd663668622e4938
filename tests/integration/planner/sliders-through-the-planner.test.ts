// Each of the seven sliders changes what comes out of a whole planning run: the same model, the same words, another policy.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/openai.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { call, elicit, proposeFiles, resultsIn } from '../../fixtures/model-calls.ts';
import { type OpenAiDouble, type Script, start, type Turn } from '../../fixtures/openai-double.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { limits } from '../../unit/planner/planners.ts';
import { plan, proposalOf } from '../../unit/planner/requests.ts';

let double: OpenAiDouble;
let script: (index: number) => Turn;
let first = 0;

beforeAll(async () => {
  const play: Script = (_, index) => script(index - first);
  double = await start({ script: play });
});
afterAll(() => double.close());

/** What comes of `turns`, and then of a plain plan, for a person of this policy. */
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

function questionsOf({ result }: PlanningOutcome): string[] {
  return result.kind === 'question' ? result.questions.map(({ text }) => text) : [];
}

const idea = (name: string, text: string, differs: string) => ({ name, text, differs });
const ideas = (confidence: number) =>
  call('brainstorm', {
    topic: 'the two files',
    ideas: [
      idea('Split', 'Write one file for each chapter of the text.', 'easy to share'),
      idea('Merge', 'Collect everything in a single long document.', 'easy to search'),
      idea('Index', 'Keep a table that points to older notes.', 'nothing is moved'),
      idea('Archive', 'Store the drafts away and begin anew.', 'a clean start'),
    ],
    asked_for: false,
    confidence,
  });
/** How many of the four the person is shown. */
const shown = (outcome: PlanningOutcome) =>
  ['Split', 'Merge', 'Index', 'Archive'].filter((name) => textOf(outcome).includes(name)).length;

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

  test('are shown whole in the alternatives it offers, however brief the person is', async () => {
    const text = `Write one file, ${'but not the last one, '.repeat(10)}and keep the rest.`;
    const policy = {
      conversation_style: 'concise' as const,
      brainstorming_preference: 'always_offer' as const,
    };
    const offer = call('brainstorm', {
      topic: 'files',
      ideas: [
        idea('Split', text, 'easy to share'),
        idea('Merge', 'Collect everything in a single long document.', 'easy to search'),
      ],
      asked_for: false,
      confidence: 0.9,
    });
    expect(textOf(await run(policy, offer))).toContain(text);
  });
});

describe('conversation_style', () => {
  test.each([
    ['concise', 2],
    ['standard', 3],
  ] as const)('%s is shown %d of four ideas', async (conversation_style, count) => {
    const policy = { conversation_style, brainstorming_preference: 'always_offer' as const };
    expect(shown(await run(policy, ideas(0.9)))).toBe(count);
  });

  test('asks a model for two sentences where it is concise, for more where it is not', async () => {
    const asked = async (conversation_style: InteractionPolicy['conversation_style']) =>
      (await run({ conversation_style })).instructions;
    expect(await asked('concise')).toContain('At most 2 sentences');
    expect(await asked('standard')).toContain('At most 6 sentences');
    expect(await asked('coach')).toContain('Say why');
  });
});

describe('talkativeness', () => {
  test.each([
    [0.29, 2],
    [0.3, 3],
  ])('%d is shown %d of four ideas', async (talkativeness, count) => {
    const policy = { talkativeness, brainstorming_preference: 'always_offer' as const };
    expect(shown(await run(policy, ideas(0.9)))).toBe(count);
  });

  test('asks a model for less at 0 than at 1', async () => {
    expect((await run({ talkativeness: 0 })).instructions).toContain('At most 2 sentences');
    expect((await run({ talkativeness: 1 })).instructions).toContain('At most 20 sentences');
  });
});

describe('autonomy', () => {
  const open = elicit(
    { question: 'Which folder?', default: 'notes', essential: true },
    { question: 'Which font?', default: 'Arial', essential: false },
  );

  test('low is asked about all that is open', async () => {
    expect(questionsOf(await run({ autonomy: 'low' }, open))).toEqual([
      'Which folder?',
      'Which font?',
    ]);
  });

  test('medium is asked about what would make the plan wrong', async () => {
    expect(questionsOf(await run({ autonomy: 'medium' }, open))).toEqual(['Which folder?']);
  });

  test('high is asked nothing, and what was assumed stands on the plan', async () => {
    const outcome = await run({ autonomy: 'high' }, open);
    expect(outcome.result.kind).toBe('proposal');
    expect(outcome.session?.outline?.assumptions.join(' ')).toMatch(/notes.*Arial/);
  });
});

describe('brainstorming_preference', () => {
  test.each([
    ['on_demand', 0.5, 'proposal'],
    ['suggest_when_uncertain', 0.39, 'proposal'],
    ['suggest_when_uncertain', 0.4, 'question'],
    ['suggest_when_uncertain', 0.69, 'question'],
    ['suggest_when_uncertain', 0.7, 'proposal'],
    ['always_offer', 0.9, 'question'],
  ] as const)('%s and %d sure comes to a %s', async (brainstorming_preference, sure, kind) => {
    const outcome = await run({ brainstorming_preference }, ideas(sure));
    expect(outcome.result.kind).toBe(kind);
    if (kind === 'proposal') expect(outcome.results[0]).toContain('wants no ideas now');
  });
});

describe('approval_policy', () => {
  test('single_final comes to the plan at once, whose steps run by themselves', async () => {
    const draft = proposalOf(await run({ approval_policy: 'single_final' }));
    expect(draft.step_approval).not.toBe('each');
  });

  test.each([
    ['milestone_approvals', false],
    ['strict_every_step', true],
  ] as const)(
    '%s stops at outline and roadmap, and asks before each step: %s',
    async (approval_policy, each) => {
      first = double.requests.length;
      script = () => proposeFiles(['a.txt', 'b.txt']);
      const model = createChatModel({
        client: createModelClient({ baseUrl: double.url }),
        api: 'chat',
        name: 'gpt-4.1',
      });
      const planner = createMemoryPlanner({ tools: toolsOf(builtins), model, limits });
      const policy = { ...defaultPolicy, approval_policy };
      const runId = `gates-${approval_policy}`;
      let outcome = await plan(planner, 'Write two files', { policy, runId });
      const gates: string[] = [];
      for (let turn = 2; outcome.result.kind === 'gate' && turn < 6; turn += 1) {
        gates.push(outcome.result.gate);
        const decision = { kind: 'approve' as const, by: 'ana', digest: outcome.result.digest };
        outcome = await plan(planner, 'Write two files', { policy, runId, turn, decision });
      }
      expect(gates).toEqual(['outline', 'roadmap']);
      expect(proposalOf(outcome).step_approval === 'each').toBe(each);
      expect(double.requests.length - first).toBe(1);
    },
  );
});

describe('probing_depth', () => {
  const many = elicit(
    ...['Which folder?', 'What name?', 'How long?', 'Who reads it?', 'By when?'].map(
      (question) => ({
        question,
      }),
    ),
  );

  test.each([0, 1, 2, 3])('%d is asked as many questions of five', async (probing_depth) => {
    const outcome = await run({ probing_depth }, many);
    expect(questionsOf(outcome)).toHaveLength(probing_depth);
    expect(outcome.result.kind).toBe(probing_depth === 0 ? 'proposal' : 'question');
  });
});

describe('tone', () => {
  test('is asked of a model in words', async () => {
    expect((await run({ tone: 'friendly' })).instructions).toContain('warm');
    expect((await run({ tone: 'clinical' })).instructions).toContain('impersonal');
  });
});

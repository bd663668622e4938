// Planner over HTTP: every model behaviour has a named outcome.
import { afterEach, describe, expect, it } from 'vitest';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/client.ts';
import type { PlanningLimits } from '#planner/budget/budget.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { propose as proposeAll } from '../../fixtures/model-calls.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  type Script,
  start,
  type Turn,
} from '../../fixtures/openai-double.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { plan, proposalOf, request } from '../../unit/planner/requests.ts';

const limits: PlanningLimits = {
  turns: 6,
  retries: 2,
  wallSeconds: 20,
  softPerTurn: 0.3,
  perSession: 2,
  perDay: 5,
};
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function plannerAt(
  baseUrl: string,
  more: { limits?: Partial<PlanningLimits>; spentToday?: () => Promise<number> } = {},
) {
  const tools = toolsOf(builtins);
  const model = createChatModel({
    client: createModelClient({ baseUrl }),
    api: 'chat',
    name: 'gpt-4.1',
  });
  const { limits: changed, ...rest } = more;
  return {
    tools,
    planner: createMemoryPlanner({ tools, model, limits: { ...limits, ...changed }, ...rest }),
  };
}

async function run(
  script: Script,
  text = 'Create a.txt saying "hi"',
  more: Parameters<typeof plannerAt>[1] = {},
): Promise<{ outcome: PlanningOutcome; server: OpenAiDouble; calls: string[] }> {
  const server = await start({ script });
  closers.push(server.close);
  const { planner, tools } = plannerAt(server.url, more);
  return {
    outcome: await plan(planner, text),
    server,
    calls: tools.calls.map((call) => call.name),
  };
}

const proposal = {
  title: 'Create a.txt',
  summary: 'a.txt exists and says "hi".',
  steps: [
    {
      id: '1',
      description: 'Create a.txt',
      tool: 'workspace',
      operation: 'write',
      args: '{"path":"a.txt","content":"hi"}',
      after: [],
    },
  ],
  risks: [],
  confidence: 0.9,
};
const proposedStep = {
  id: '1',
  description: 'Create a.txt',
  tool: 'workspace',
  operation: 'write',
  after: [],
};
const propose = (change: object = {}): Turn => proposeAll({ ...proposal, ...change });
const step = (change: object) => ({ steps: [{ ...proposal.steps[0], ...change }] });

function resultsIn(body: ChatBody | undefined): string[] {
  return (body?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.content] : [],
  );
}

describe('a proposal', () => {
  it('comes with its cost, its trace and the reason for it', async () => {
    const { outcome } = await run([propose()]);
    expect(outcome.reason).toBe('a plan, because it changes something: workspace_write');
    expect(outcome.cost_usd).toBeGreaterThan(0);
    const tools = outcome.trace.filter(({ tool }) => tool !== 'controller');
    expect(tools.map(({ tool }) => tool)).toEqual([
      'gpt-4.1',
      'add_steps',
      'submit_plan',
      'validate_grammar',
      'resolve_dependencies',
      'build_roadmap',
      'generate_schedule',
      'probe_portfolio',
      'handle_approval',
    ]);
    expect(outcome.trace.reduce((sum, { cost_delta }) => sum + cost_delta, 0)).toBe(
      outcome.cost_usd,
    );
    expect(proposalOf(outcome).steps[0]).toMatchObject({ args: { path: 'a.txt' } });
  });

  it.each<[string, object]>([
    ['arguments as an object', step({ args: { path: 'a.txt', content: 'hi' } })],
    ['the full name as operation', step({ operation: 'workspace_write' })],
    ['only the full name', step({ tool: 'workspace_write', operation: null })],
    [
      'left-out fields',
      {
        steps: [
          {
            description: 'Create a.txt',
            tool: 'workspace',
            operation: 'write',
            args: { path: 'a.txt', content: 'hi' },
          },
        ],
        risks: null,
        confidence: null,
      },
    ],
  ])('is read from servers without strict schemas: %s', async (_, change) => {
    const { outcome } = await run([propose(change)]);
    expect(proposalOf(outcome).steps[0]).toMatchObject({
      tool: 'workspace',
      operation: 'write',
      args: { path: 'a.txt', content: 'hi' },
    });
  });

  it.each<[string, object, string]>([
    [
      'an operation that does not exist',
      step({ tool: 'gmail', operation: 'send' }),
      'there is no operation gmail_send',
    ],
    [
      'arguments against the schema',
      step({ args: '{"path":"a.txt"}' }),
      '\\"content\\" is missing',
    ],
    ['arguments that are no JSON', step({ args: '{path' }), 'Step 1: args is not a JSON object'],
    ['no steps', { steps: [] }, 'No steps were given'],
    ['a step that waits for itself', step({ after: ['1'] }), 'Step 1 waits for itself'],
    [
      'a prerequisite that does not exist',
      step({ after: ['9'] }),
      'refers to step 9, which does not exist',
    ],
    [
      'a circle',
      {
        steps: [
          { ...proposal.steps[0], after: ['2'] },
          { ...proposal.steps[0], id: '2', after: ['1'] },
        ],
      },
      'The steps 1, 2 wait for each other',
    ],
    [
      'two steps of one id',
      { steps: [proposal.steps[0], proposal.steps[0]] },
      'Two steps have the id 1',
    ],
  ])('with %s goes back to the model', async (_, change, reason) => {
    const afresh = propose();
    const remove = { name: 'remove_steps', args: { ids: ['1'] } };
    const removeOther = { name: 'remove_steps', args: { ids: ['2'] } };
    const calls = 'calls' in afresh ? afresh.calls : [];
    const { outcome, server } = await run([
      propose(change),
      { calls: [removeOther, remove] },
      { calls },
    ]);
    expect(proposalOf(outcome).title).toBe('Create a.txt');
    expect(proposalOf(outcome).steps).toHaveLength(1);
    const results = resultsIn(server.requests[1]);
    expect(results.at(-1)).toContain('"ok":false,"confidence":0');
    expect(results.join('\n')).toContain(reason);
  });

  it('is revised with the draft and all feedback before the model, and only what it edits changes', async () => {
    const edit = {
      calls: [
        { name: 'edit_steps', args: { steps: [{ id: 'b', args: { content: 'kürzer' } }] } },
        { name: 'submit_plan', args: { confidence: 0.9 } },
      ],
    };
    const server = await start({ script: [edit] });
    closers.push(server.close);
    const { planner } = plannerAt(server.url);
    const write = (id: string) => ({
      ...proposedStep,
      id,
      description: `Write ${id}`,
      args: { path: `${id}.txt`, content: id },
      after: [],
    });
    const previous = { title: 'Old', steps: [write('a'), write('b')] };
    const outcome = await plan(planner, 'in English', {
      revision: { previous, feedback: ['shorter', 'in English'] },
    });
    const context = JSON.stringify(server.requests[0]?.messages);
    expect(context).toContain('1. shorter\\n2. in English');
    expect(context).toContain('Step 1b (id b): Write b');
    const [a, b] = proposalOf(outcome).steps;
    expect(a).toMatchObject({ id: 'a', args: { path: 'a.txt', content: 'a' } });
    expect(b).toMatchObject({ id: 'b', args: { path: 'b.txt', content: 'kürzer' } });
  });

  it('is not put before the person again as it was', async () => {
    const submit = (confidence: number): Turn => ({
      calls: [{ name: 'submit_plan', args: { confidence } }],
    });
    const server = await start({ script: [submit(0.9), { text: 'What should be shorter?' }] });
    closers.push(server.close);
    const { planner } = plannerAt(server.url);
    const previous = {
      title: 'Old',
      steps: [{ ...proposedStep, args: { path: 'a.txt', content: 'hi' } }],
    };
    const outcome = await plan(planner, 'shorter', {
      revision: { previous, feedback: ['shorter'] },
    });
    expect(resultsIn(server.requests[1])[0]).toContain('Nothing of the draft has changed');
    expect(outcome.result.kind).toBe('answer');
  });
});

describe('answers and questions', () => {
  it('tells the model that words outside of a call reach nobody, and takes them as its answer', async () => {
    const words = 'Done! I created notes/b.txt.';
    const { outcome, server } = await run([{ words }, { words }], 'Create notes/b.txt');
    expect(JSON.stringify(server.requests[1]?.messages.at(-1))).toContain('nothing has been done');
    expect(outcome.result).toEqual({
      kind: 'answer',
      text: words,
    });
  });

  it('calls several reading tools at once', async () => {
    const { outcome, calls } = await run([
      {
        calls: [
          { name: 'workspace_list', args: {} },
          { name: 'workspace_read', args: { path: 'a.txt' } },
          { name: 'plan_list', args: { status: null } },
        ],
      },
      { calls: [{ name: 'answer', args: { text: 'Three things.' } }] },
    ]);
    expect(calls).toEqual(['workspace_list', 'workspace_read']);
    expect(outcome).toMatchObject({
      result: { kind: 'answer', text: 'Three things.' },
      reason:
        'answered without a plan, after looking up: workspace_list, workspace_read, plan_list',
    });
  });

  it('offers its own tools and one for reading, and one of them must be called', async () => {
    const { server } = await run([{ text: 'ok' }]);
    const names = server.requests[0]?.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toEqual(
      expect.arrayContaining([
        'add_steps',
        'submit_plan',
        'select_pattern',
        'elicit_context',
        'answer',
        'on_plan',
        'read',
      ]),
    );
    expect(names).not.toContain('workspace_write');
    expect(server.requests[0]?.tool_choice).toBe('required');
  });
});

describe('a model decides nothing', () => {
  it('keeps apart what it says that no operation can do', async () => {
    const cannot = async (wanted: string | null) =>
      (
        await run([
          {
            calls: [
              { name: 'answer', args: { text: 'I have no tool for flights.', cannot: wanted } },
            ],
          },
        ])
      ).outcome.result;
    const text = 'I have no tool for flights.';
    expect(await cannot('book flights')).toEqual({ kind: 'cannot', text, wanted: 'book flights' });
    expect(await cannot(`${'x'.repeat(500)}`)).toMatchObject({ wanted: 'x'.repeat(200) });
    expect(await cannot(' ')).toEqual({ kind: 'answer', text });
    expect(await cannot(null)).toEqual({ kind: 'answer', text });
  });

  it('a rejection is answered with who can', async () => {
    const { outcome, server } = await run([
      { calls: [{ name: 'plan_reject', args: { id: 'PLAN-3f9a1c20' } }] },
      { text: 'I cannot approve it.' },
    ]);
    expect(resultsIn(server.requests[1])[0]).toContain('Only a person can');
    expect(outcome.result).toEqual({ kind: 'answer', text: 'I cannot approve it.' });
  });

  it('a proposal approved in the same breath is still only a proposal', async () => {
    const { outcome } = await run([
      {
        calls: [
          ...proposeAll(proposal).calls,
          { name: 'plan_approve', args: { id: 'PLAN-3f9a1c20' } },
        ],
      },
    ]);
    expect(outcome.result.kind).toBe('proposal');
    expect(outcome.trace.find((entry) => entry.tool === 'plan_approve')).toMatchObject({
      ok: false,
      confidence: 0,
    });
  });
});

describe('what goes wrong has a name', () => {
  it.each<[string, Script, string]>([
    [
      'a server that always fails',
      () => ({ status: 500, headers: { 'retry-after': '0' } }),
      'model_failed',
    ],
    ['a key that is refused', [{ status: 401 }], 'model_failed'],
  ])('%s', async (_, script, reason) => {
    const { outcome } = await run(script);
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason });
    expect(outcome.result.kind === 'aborted' && outcome.result.text.length).toBeGreaterThan(20);
  });

  it.each<[string, Turn]>([
    ['an unknown tool', { calls: [{ name: 'make_coffee', args: {} }] }],
    ['malformed arguments', { calls: [{ name: 'workspace_read', args: '{"path": ' }] }],
    [
      'arguments against the schema',
      { calls: [{ name: 'workspace_read', args: { file: 'a.txt' } }] },
    ],
    [
      'a reading tool that fails',
      { calls: [{ name: 'workspace_read', args: { path: 'missing.txt' } }] },
    ],
    ['an empty answer', { text: '' }],
    ['words outside of a call', { words: 'Let me do that.' }],
  ])('%s is pointed out, and the model goes on', async (_, turn) => {
    const { outcome, server } = await run([turn, propose()]);
    expect(outcome.result.kind).toBe('proposal');
    expect(server.requests).toHaveLength(2);
  });

  it('stops at the deadline', async () => {
    const { outcome } = await run(() => ({ hang: true }), 'hi', { limits: { wallSeconds: 0.3 } });
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason: 'cap_time' });
  });

  it('stops when it is told to', async () => {
    const server = await start({ script: () => ({ hang: true }) });
    closers.push(server.close);
    const outcome = await plannerAt(server.url).planner.plan(
      request('hi'),
      AbortSignal.timeout(200),
    );
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason: 'cancelled' });
  });

  it.each([
    ['the session', { limits: { perSession: 0.001 } }],
    ['the day', { spentToday: async () => 4.999 }],
  ])('makes no call beyond the budget of %s', async (_, more) => {
    const { outcome, server } = await run([{ text: 'never' }], 'hi', more);
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason: 'cap_cost' });
    expect(server.requests).toHaveLength(0);
  });

  it('sends a megabyte of arguments back as too long', async () => {
    const { outcome, server } = await run([
      { calls: [{ name: 'answer', args: { text: 'x'.repeat(1_000_000) } }] },
      { text: 'short' },
    ]);
    expect(outcome).toMatchObject({
      result: { kind: 'answer', text: 'short' },
      reason: 'answered without a plan: the model saw nothing to change',
    });
    expect(JSON.stringify(server.requests[1]).length).toBeLessThan(100_000);
  });
});

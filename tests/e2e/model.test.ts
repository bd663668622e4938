// With a language model behind an OpenAI-compatible server: whatever it does ends in an outcome with a name, and it decides nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as Connection } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { AuditEntry } from '#domain/plan/views.ts';
import type { RunView } from '#domain/planning/run.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { call, propose, revise } from '../fixtures/model-calls.ts';
import { type ChatBody, type OpenAiDouble, start, type Turn } from '../fixtures/openai-double.ts';
import { useDatabase } from '../setup/database.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let model: OpenAiDouble;
let api: Client;
let files: string;
let connection: Connection;

/** What the model does when it is asked for a text (none may hold another): one turn after the other, the last one for ever. */
const scripts = new Map<string, Turn[]>();
const asked = new Map<string, ChatBody[]>();

function answerAs(body: ChatBody): Turn {
  const said = body.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const keyIn = (words: string) => [...scripts.keys()].find((text) => words.includes(text));
  const key = said.toReversed().flatMap((words) => keyIn(words ?? '') ?? [])[0];
  const turns = scripts.get(key ?? '') ?? [];
  const before = asked.get(key ?? '') ?? [];
  asked.set(key ?? '', [...before, body]);
  return turns[Math.min(before.length, turns.length - 1)] ?? { status: 400 };
}

beforeAll(async () => {
  model = await start({ script: answerAs });
  const home = await programs.home();
  files = join(home, 'workspace');
  ({ api } = await programs.serve({
    home,
    database: database.url,
    env: { OPENAI_BASE_URL: model.url, TURN_LIMIT: '6' },
  }));
  connection = new Connection({ connectionString: database.url });
  await connection.connect();
});
afterAll(async () => {
  await connection.end();
  await model.close();
});

/** Asks a model that will do `turns`. */
async function ask(text: string, ...turns: Turn[]): Promise<RunView> {
  scripts.set(text, turns);
  return await api.ask(text);
}

const step = (id: string, operation: string, args: object, after: string[] = []) => ({
  id,
  description: `${operation} ${id}`,
  tool: 'workspace',
  operation,
  args: JSON.stringify(args),
  after,
});
const proposal = (...steps: object[]) => ({
  title: 'A plan of the model',
  summary: 'After this, a file is there.',
  steps,
  risks: [],
  confidence: 0.9,
});
const writes = (path: string) => proposal(step('1', 'write', { path, content: 'by a model' }));

async function countPlans(): Promise<number> {
  const { rows } = await connection.query('select count(*)::int as n from countersign.plans');
  return rows[0].n;
}

async function expectAborted(run: RunView, reason: string, words: RegExp): Promise<void> {
  expect(run).toMatchObject({ planning_status: 'aborted', escalate_reason: reason });
  expect(run.response_text).toMatch(words);
  expect(run.plan_id).toBeUndefined();
}

describe('a model that does its work', () => {
  it('looks around, proposes, and what was approved runs', async () => {
    const run = await ask(
      'Write what is there',
      call('workspace_list', {}),
      propose(
        proposal(
          step('1', 'write', { path: 'index.txt', content: 'index' }),
          step('2', 'move', { from: 'index.txt', to: 'done/index.txt' }, ['1']),
        ),
      ),
    );
    expect(run.planning_status).toBe('needs_clarification');
    // Its own 0.9 is weighed with what rules and heuristics say.
    expect(run.confidence).toBeGreaterThan(0.9);
    expect(run.cost_usd).toBeGreaterThan(0);
    const plan = await api.plan(run.plan_id ?? '');
    expect(plan).toMatchObject({
      status: 'proposed',
      planner_model: 'gpt-6.2-sol',
      requester: 'local',
    });
    expect(plan.tools_required).toEqual(['workspace_move', 'workspace_write']);
    const trace = await api.get<{ entries: TraceEntry[] }>(`/api/plans/${plan.id}/trace`);
    const tools = trace.body.entries.map(({ tool }) => tool);
    expect(tools.filter((tool) => tool !== 'controller').slice(0, 7)).toEqual([
      'look_around',
      'gpt-6.2-sol',
      'workspace_list',
      'gpt-6.2-sol',
      'add_steps',
      'submit_plan',
      'validate_grammar',
    ]);
    const [seen] = asked.get('Write what is there')?.[1]?.messages.slice(-1) ?? [];
    expect(seen).toMatchObject({ role: 'tool', content: expect.stringContaining('<untrusted') });

    expect((await api.approve(plan)).status).toBe(200);
    await api.reach(plan.id, 'completed');
    expect(await readFile(join(files, 'done/index.txt'), 'utf8')).toBe('index');
  });

  it('is offered nothing that changes anything', async () => {
    await ask('What can you do?', { text: 'I can read.' });
    const tools = asked.get('What can you do?')?.[0]?.tools ?? [];
    const names = tools.map((tool) => tool.function.name);
    expect(names).toEqual(expect.arrayContaining(['add_steps', 'submit_plan', 'read']));
    for (const name of ['workspace_write', 'workspace_delete', 'http_request', 'http_get'])
      expect(names).not.toContain(name);
  });

  it('answers without a plan, or asks', async () => {
    const answered = await ask('Tell me about a.txt', call('answer', { text: 'It is a file.' }));
    expect(answered).toMatchObject({
      planning_status: 'complete',
      response_text: 'It is a file.',
    });
    const open = await ask(
      'Write it',
      call('elicit_context', {
        questions: [{ question: 'Write what?', why: null, default: null, essential: true }],
      }),
    );
    expect(open).toMatchObject({
      planning_status: 'needs_clarification',
      questions: ['Write what?'],
    });
    scripts.set('The minutes', [propose(writes('minutes.txt'))]);
    const after = await api.reply(open.run_id, 'The minutes');
    expect((await api.plan(after.plan_id ?? '')).status).toBe('proposed');
  });

  it('revises a plan with the feedback it got', async () => {
    const run = await ask('Write the draft', propose(writes('draft.txt')));
    scripts.set('to drafts/ please', [revise({ id: '1', args: { path: 'drafts/draft.txt' } })]);
    await api.reply(run.run_id, 'propose changes: to drafts/ please');
    const plan = await api.plan(run.plan_id ?? '');
    expect(plan).toMatchObject({ version: 2, status: 'proposed' });
    const [first] = await api.steps(plan.id);
    expect(first?.args).toMatchObject({ path: 'drafts/draft.txt' });
  });
});

describe('a model that goes wrong', () => {
  it('is told that its arguments are no JSON, and may try again', async () => {
    const run = await ask(
      'Mend your JSON',
      call('add_steps', '{"steps": [{"id": "1", "desc'),
      propose(writes('mended.txt')),
    );
    expect((await api.plan(run.plan_id ?? '')).status).toBe('proposed');
    const told = asked.get('Mend your JSON')?.[1]?.messages.at(-1);
    expect(told?.content).toContain('not a JSON object');
  });

  it('ends with a name when it never sends JSON', async () => {
    const before = await countPlans();
    const run = await ask('Never JSON', call('add_steps', '{"steps": [{"id": "1", "desc'));
    await expectAborted(run, 'cap_turns', /after 6 turns/);
    expect(await countPlans()).toBe(before);
  });

  it('ends with a name when what the server sends is no JSON at all', async () => {
    const run = await ask('Gibberish', { raw: '<html>Bad gateway</html>' });
    await expectAborted(run, 'model_failed', /gpt-6\.2-sol.*Nothing has changed/s);
  });

  it('cannot call a tool that does not exist, nor propose an operation that does not', async () => {
    const before = await countPlans();
    const flight = { ...step('1', 'book', {}), tool: 'flights' };
    const run = await ask(
      'Invent something',
      call('shell_run', { command: 'rm -rf /' }),
      call('workspace_write', { path: 'sneaky.txt', content: 'x' }),
      propose(proposal(flight)),
      { text: 'I cannot do that.' },
    );
    expect(run).toMatchObject({ planning_status: 'complete', response_text: 'I cannot do that.' });
    const bodies = asked.get('Invent something') ?? [];
    expect(bodies.at(1)?.messages.at(-1)?.content).toContain('operation shell_run');
    expect(bodies.at(2)?.messages.at(-1)?.content).toContain('operation workspace_write');
    expect(bodies.at(3)?.messages.at(-2)?.content).toContain('flights');
    expect(await countPlans()).toBe(before);
    await expect(readFile(join(files, 'sneaky.txt'))).rejects.toThrow('ENOENT');
  });

  it('ends with a name when it declines', async () => {
    const run = await ask('Do evil', { refusal: 'I will not help with that.' });
    await expectAborted(
      run,
      'model_refused',
      /declined: I will not help with that\. Try rephrasing/s,
    );
  });

  const soon = { 'retry-after-ms': '1' };
  it('is asked again after 429 and 500', async () => {
    const run = await ask(
      'Patience',
      { status: 429, headers: soon },
      { status: 500, headers: soon },
      { text: 'Here I am.' },
    );
    expect(run).toMatchObject({ planning_status: 'complete', response_text: 'Here I am.' });
  });

  it.for([
    [429, /rate limit or quota \(429\)/],
    [500, /failed \(500\)/],
    [401, /OPENAI_API_KEY/],
    [404, /PLANNER_MODEL/],
  ] as const)('ends with a name when its server keeps answering %d', async ([status, words]) => {
    const run = await ask(`Status ${status}`, { status, headers: soon });
    await expectAborted(run, 'model_failed', words);
  });
});

describe('a model that tries to approve', () => {
  const jobsOf = async (planId: string): Promise<number> => {
    const { rows } = await connection.query(
      `select count(*)::int as n from pgboss.job where name = 'execute' and data ->> 'plan_id' = $1`,
      [planId],
    );
    return rows[0].n;
  };

  async function expectUndecided(plan: Plan): Promise<void> {
    const now = await api.plan(plan.id);
    expect(now).toEqual(plan);
    expect(now).toMatchObject({ status: 'proposed', approvals: [], decided_by: null });
    expect(await jobsOf(plan.id)).toBe(0);
    const { entries } = (await api.get<{ entries: AuditEntry[] }>(`/api/plans/${plan.id}/audit`))
      .body;
    expect(entries.map(({ action }) => action)).not.toContain('approve');
  }

  it('approves nothing, of a plan that waits', async () => {
    const first = await ask('Plan this', propose(writes('approved.txt')));
    const plan = await api.plan(first.plan_id ?? '');
    const run = await ask(
      'Approve it for me',
      call('plan_approve', { id: plan.id, version: 1, digest: plan.digest }),
      call('plan_approve', { id: plan.id }),
      { text: 'approve' },
    );
    const [, second] = asked.get('Approve it for me') ?? [];
    expect(second?.messages.at(-1)?.content).toContain('Only a person can approve a plan');
    expect(run.response_text).toBe('approve');
    await expectUndecided(plan);
    await expect(readFile(join(files, 'approved.txt'))).rejects.toThrow('ENOENT');
  });

  it('approves nothing, of a plan it proposes in the same breath', async () => {
    const run = await ask('Plan and approve', {
      calls: [
        { name: 'plan_approve', args: { id: 'PLAN-00000000' } },
        ...propose(writes('breath.txt')).calls,
        { name: 'plan_approve', args: { id: 'PLAN-00000001' } },
      ],
    });
    await expectUndecided(await api.plan(run.plan_id ?? ''));
  });

  it('approves nothing with the person’s own words in its mouth', async () => {
    const first = await ask('Plan that', propose(writes('mouth.txt')));
    const plan = await api.plan(first.plan_id ?? '');
    scripts.set('sounds good', [{ text: 'approve' }]);
    await api.reply(first.run_id, 'sounds good');
    await expectUndecided(plan);
  });
});

describe('an argument that is decided when its step runs', () => {
  const decided = (content: object) => ({
    title: 'Greet',
    steps: [
      {
        id: 'greet',
        description: 'Write a greeting',
        tool: 'workspace',
        operation: 'write',
        args: { path: 'greeting.txt', content },
      },
    ],
  });

  it('comes from the executor’s model, which sees that one operation and changes nothing else', async () => {
    scripts.set('a greeting for Ana', [
      call('workspace_write', { path: 'elsewhere.txt', content: 'Hello Ana' }),
    ]);
    const plan = await api.propose(decided({ $decide: 'a greeting for Ana' }));
    expect((await api.approve(plan)).status).toBe(200);
    await api.reach(plan.id, 'completed');
    expect(await readFile(join(files, 'greeting.txt'), 'utf8')).toBe('Hello Ana');
    await expect(readFile(join(files, 'elsewhere.txt'))).rejects.toThrow('ENOENT');
    const [body] = asked.get('a greeting for Ana') ?? [];
    expect(body?.model).toBe('gpt-6-luna');
    expect(body?.tools?.map((tool) => tool.function.name)).toEqual(['workspace_write']);
  });

  it('is shown to a person before a guarded operation is called with it', async () => {
    await writeFile(join(files, 'guarded.txt'), 'x');
    scripts.set('the file nobody needs', [call('workspace_delete', { path: 'guarded.txt' })]);
    const steps = [
      {
        id: 'tidy',
        description: 'Delete a file',
        tool: 'workspace',
        operation: 'delete',
        args: { path: { $decide: 'the file nobody needs' } },
      },
    ];
    const waiting = (id: string) =>
      waitFor('the question', async () => {
        const [step] = await api.steps(id);
        return step?.status === 'waiting' ? step : null;
      });
    const settle = async (id: string, fate: string) => {
      const { attempt, status } = await waiting(id);
      const about = { tidy: { attempt, status } };
      return api.post(`/api/plans/${id}/resume`, { version: 1, steps: { tidy: fate }, about });
    };

    const refused = await api.propose({ title: 'Tidy up', steps });
    await api.approve(refused);
    const { final_args } = await waiting(refused.id);
    expect(final_args).toEqual({ path: 'guarded.txt' });
    expect((await api.plan(refused.id)).cost_usd).toBeGreaterThan(0);
    expect((await settle(refused.id, 'failed')).status).toBe(200);
    await api.reach(refused.id, 'completed');
    expect(await readFile(join(files, 'guarded.txt'), 'utf8')).toBe('x');

    const confirmed = await api.propose({ title: 'Tidy up again', steps });
    await api.approve(confirmed);
    await waiting(confirmed.id);
    expect((await settle(confirmed.id, 'retry')).status).toBe(200);
    await api.reach(confirmed.id, 'completed');
    await expect(readFile(join(files, 'guarded.txt'))).rejects.toThrow('ENOENT');
    expect(asked.get('the file nobody needs')).toHaveLength(2);
  });

  it('fails its step when the model has no value for it', async () => {
    scripts.set('nothing useful', [{ text: 'I do not know.' }]);
    const plan = await api.propose(decided({ $decide: 'nothing useful' }));
    await api.approve(plan);
    await api.reach(plan.id, 'failed');
    const [failed] = await api.steps(plan.id);
    expect(failed?.error).toMatchObject({ code: 'model_failed' });
  });
});

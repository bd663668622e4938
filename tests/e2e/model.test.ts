// The program with a language model behind an OpenAI-compatible server: one plans, another decides values when a step runs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '#domain/planning/run.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { call, propose } from '../fixtures/model-calls.ts';
import { type ChatBody, type OpenAiDouble, start, type Turn } from '../fixtures/openai-double.ts';
import { useDatabase } from '../setup/database.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let model: OpenAiDouble;
let api: Client;
let files: string;

/** Scripted replies by a text in the request (no key contains another): turn after turn, the last one repeats. */
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
});
afterAll(() => model.close());

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
});

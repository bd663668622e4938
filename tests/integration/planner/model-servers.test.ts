// The planner on each server of docs/models.md, quirks included.
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelApi } from '#domain/model-apis.ts';
import type { Activity } from '#domain/planning/activity.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { proposeFiles } from '../../fixtures/model-calls.ts';
import { clientOf } from '../../fixtures/model-client.ts';
import { openModelInstance, settled } from '../../fixtures/model-instance.ts';
import {
  type Refusal,
  type Reply,
  type ServerName,
  servers,
  startServer,
} from '../../fixtures/model-servers.ts';
import { start, type Turn } from '../../fixtures/openai-double.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana } from '../../setup/instance.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { listSteps, plan, proposalOf, request } from '../../unit/planner/requests.ts';
import { waitFor } from '../../wait.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function plannerAt(baseUrl: string, api: ModelApi = 'chat') {
  const client = clientOf(baseUrl, api);
  const prices = { '*': { input: 0, output: 0 } };
  return createMemoryPlanner({
    tools: toolsOf(builtins),
    model: createChatModel({ client, api, name: 'some-model', effort: 'low', prices }),
    limits: { turns: 6, retries: 2, wallSeconds: 20, softPerTurn: 1, perSession: 2, perDay: 5 },
  });
}

const names = Object.keys(servers).filter((name): name is ServerName => name in servers);

const look: Reply = {
  thoughts: 'Is there a file?',
  calls: [{ name: 'workspace_read', args: { path: 'a.txt' } }],
};

function draft(paths: string[]): Reply & Extract<Turn, { calls: unknown }> {
  const turn = proposeFiles(paths);
  if (!('calls' in turn)) throw new Error('no calls');
  return { ...turn, calls: [...turn.calls] };
}

describe.each(names)('%s', (name) => {
  it('is asked, answers and is asked again, until there is a plan', async () => {
    const server = await startServer(name, [look, draft(['b.txt', 'c.txt'])]);
    closers.push(server.close);
    const outcome = await plan(plannerAt(server.url), 'Write b.txt and c.txt');
    expect(listSteps(proposalOf(outcome))).toHaveLength(2);
    expect(server.seen).toHaveLength(2);
  });

  it('may say nothing after long reasoning: it is told, and then the person reads what to set', async () => {
    const silent: Reply = { thoughts: 'Hm. '.repeat(500) };
    const once = await startServer(name, [silent, draft(['b.txt'])]);
    const always = await startServer(name, [silent]);
    closers.push(once.close, always.close);
    const outcome = await plan(plannerAt(once.url), 'Write b.txt');
    expect(listSteps(proposalOf(outcome))).toHaveLength(1);
    const { result } = await plan(plannerAt(always.url), 'Write b.txt');
    expect(result).toMatchObject({
      kind: 'aborted',
      text: expect.stringMatching(/no answer.*PLANNER_REASONING_EFFORT.*PLANNER_MODEL/),
    });
  });

  it('may cut its replies: it is told, and then the person reads what to set', async () => {
    const cut: Reply = { ...draft(['b.txt']), cut: true };
    const once = await startServer(name, [cut, draft(['b.txt'])]);
    const always = await startServer(name, [cut]);
    closers.push(once.close, always.close);
    const outcome = await plan(plannerAt(once.url), 'Write b.txt');
    expect(listSteps(proposalOf(outcome))).toHaveLength(1);
    const { result } = await plan(plannerAt(always.url), 'Write b.txt');
    expect(result).toMatchObject({
      kind: 'aborted',
      text: expect.stringMatching(/cut off.*PLANNER_REASONING_EFFORT/),
    });
  });
});

describe('what a server cannot do', () => {
  const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
  it.each<[string, ServerName, Refusal, RegExp]>([
    [
      'call tools with this model',
      'Ollama',
      {
        status: 400,
        json: error('registry.ollama.ai/library/gemma:latest does not support tools'),
      },
      /“.*does not support tools” Set PLANNER_MODEL and EXECUTOR_MODEL to models that call tools/,
    ],
    [
      'call tools without a parser',
      'vLLM',
      {
        status: 400,
        json: error(
          '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        ),
      },
      /--enable-auto-tool-choice and --tool-call-parser to be set/,
    ],
    [
      'read so much',
      'vLLM',
      { status: 400, json: error("This model's maximum context length is 4096 tokens.") },
      /“.*4096 tokens\.” Give the model a longer context/,
    ],
    [
      'read so much',
      'LM Studio',
      {
        status: 400,
        json: {
          error:
            'Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.',
        },
      },
      /Give the model a longer context/,
    ],
    [
      'find a model that has been shut down',
      'Mistral',
      {
        status: 400,
        json: {
          object: 'error',
          message: 'Invalid model: open-mixtral-8x7b',
          type: 'invalid_model',
        },
      },
      /does not know some-model: “Invalid model: .*” Check PLANNER_MODEL/,
    ],
    [
      'find a model that has been shut down',
      'Anthropic',
      {
        status: 404,
        json: { type: 'error', error: { type: 'not_found_error', message: 'model: x' } },
      },
      /does not know some-model: “model: x” Check PLANNER_MODEL/,
    ],
    [
      'find a model that has been shut down',
      'Gemini',
      { status: 404, json: [error('models/gemini-1.0-pro is not found for API version v1main')] },
      /does not know some-model: .* Check PLANNER_MODEL/,
    ],
  ])('ends in a sentence that says what to set: %s (%s)', async (_, name, refusal, sentence) => {
    const server = await startServer(name, [refusal]);
    closers.push(server.close);
    const { result } = await plan(plannerAt(server.url), 'Write b.txt');
    expect(result).toMatchObject({ kind: 'aborted', text: expect.stringMatching(sentence) });
  });
});

describe.each(['chat', 'responses', 'messages'] as const)('a draft that streams (%s)', (api) => {
  it('is told step by step, and nothing of one that breaks off is kept', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt'];
    const whole = draft(paths);
    const broken = draft(['x.txt', 'y.txt']);
    const double = await start({ script: [{ ...broken, half: 'breaks' }, whole] });
    closers.push(double.close);
    const reported: Activity[] = [];
    const outcome = await plannerAt(double.url, api).plan(
      request('Write a.txt, b.txt and c.txt'),
      new AbortController().signal,
      (activity) => reported.push(activity),
    );
    expect(listSteps(proposalOf(outcome))).toEqual([
      expect.stringContaining('a.txt'),
      expect.stringContaining('b.txt'),
      expect.stringContaining('c.txt'),
    ]);
    expect(double.requests).toHaveLength(2);
    const seen = new Set(reported.map((one) => (one.kind === 'drafting' ? one.steps : one.kind)));
    expect([...seen]).toEqual(['thinking', 1, 2, 3]);
  });
});

describe('a reply that is being written', () => {
  const database = useDatabase();

  it('is seen step by step, ends when the person says stop, and is paid for', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    const instance = await openModelInstance(database.url);
    closers.push(instance.close);
    instance.play([{ ...draft(paths), half: 'hangs' }]);
    const { run_id } = await instance.service.startRun({ text: 'Write four files' }, ana);
    await waitFor('steps', async () => {
      const { activity } = await instance.service.getRun(run_id);
      return activity?.kind === 'drafting' && activity.steps > 0;
    });
    await instance.service.stopRun(run_id, undefined, ana);
    expect(await settled(instance, run_id)).toMatchObject({ planning_status: 'aborted' });
    const { calls, usd } = await instance.paid(run_id);
    expect(calls).toBe(1);
    expect(usd).toBeGreaterThan(0);
    expect(await instance.files()).toEqual({});
  });
});

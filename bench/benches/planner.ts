// Planning overhead besides the model's time.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instance } from '#app/wire/instance.ts';
import { createPortfolioReader } from '#db/plans/portfolio.ts';
import { systemClock } from '#domain/clock.ts';
import { person } from '#domain/people/actor.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { Planner, PlanningRequest } from '#domain/planning/run.ts';
import { outsidePlan } from '#domain/tool.ts';
import type { ChatModel, ChatReply } from '#models/chat.ts';
import { createBudget } from '#planner/budget/budget.ts';
import { createPlanner, openPlannerStore } from '#planner/create-planner.ts';
import { openPlannerTools } from '#planner/reads/open-reads.ts';
import { median } from '../numbers.ts';
import { makeRow } from '../row.ts';
import { type Bench, type Stage, until } from '../stage.ts';

const usualCount = 40;
const warmUp = 5;
/** In one process. */
const together = 50;
/** Per model call, enough to separate the overhead. */
const thinkingMs = 20;
const target = { reach: 50, stretch: 20 };

const steps = {
  steps: [
    {
      id: '1',
      description: 'Write note.md',
      operation: 'workspace_write',
      args: { path: 'note.md', content: 'noted' },
    },
  ],
};
const submission = { title: 'Write a note', summary: 'Writes note.md.', confidence: 0.9 };

const files = 2000;
const rows = 5000;
const forEach = {
  id: 'move',
  title: 'Move the files of data',
  operation: 'workspace_list',
  args: { path: 'data' },
  list: '/entries',
  step: {
    description: 'Move {{item/path}}',
    operation: 'workspace_move',
    args: { from: '{{item/path}}', to: 'moved/{{item/path}}' },
  },
};

/** Counts its own milliseconds. */
function createSlowModel(...calls: [name: string, args: object][]): {
  model: ChatModel;
  spentMs(): number;
} {
  let spent = 0;
  const reply: ChatReply = {
    content: '',
    refusal: null,
    toolCalls: calls.map(([name, args], index) => ({
      id: `call-${index}`,
      name,
      arguments: JSON.stringify(args),
    })),
    finishReason: 'tool_calls',
    usage: { input_tokens: 1000, output_tokens: 200 },
    cost_usd: 0,
    attempts: 1,
  };
  const model: ChatModel = {
    name: 'bench-model',
    estimateCost: () => Promise.resolve(0),
    async complete() {
      const began = performance.now();
      await pause(thinkingMs);
      spent += performance.now() - began;
      return reply;
    },
  };
  return { model, spentMs: () => spent };
}

function openPlanner({ db, registry, catalogue }: Instance, model: ChatModel): Planner {
  const warn = () => {};
  const caps = { softPerTurn: 0.3, perSession: 2, perDay: 5 };
  return createPlanner({
    tools: openPlannerTools({
      registry: registry.of(null),
      catalogue: catalogue.of(null),
      db: db.query,
      allowed: { deny: [] },
      guarded: [],
      timezone: 'UTC',
    }),
    model,
    limits: { turns: 10, retries: 2, wallSeconds: 45, softPerTurn: 0.3, perSession: 2, perDay: 5 },
    store: openPlannerStore({
      db,
      budget: createBudget({ db, clock: systemClock, caps }),
      otherPlans: createPortfolioReader(db.query),
      warn,
    }),
  });
}

function writeRequest(runId: string): PlanningRequest {
  return {
    runId,
    text: 'Write a note',
    user: 'bench',
    conversation: null,
    history: [],
    revision: null,
    turn: 1,
    decision: { kind: 'said' },
    policy: defaultPolicy,
    modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 3 },
    now: new Date(),
    timezone: 'UTC',
  };
}

/** @throws without a plan */
async function planOnce(planner: Planner, runId: string, signal: AbortSignal): Promise<void> {
  const { result, reason } = await planner.plan(writeRequest(runId), signal);
  if (result.kind !== 'proposal') throw new Error(`the bench's planner came to ${reason}`);
}

export const measurePlanner: Bench = async (stage) => {
  const { signal } = stage;
  const count = stage.steps ?? usualCount;
  const instance = await stage.openInstance({ work: false });
  const { model, spentMs } = createSlowModel(['add_steps', steps], ['submit_plan', submission]);
  const planner = openPlanner(instance, model);

  stage.say(`${count} requests, one at a time`);
  const alone: number[] = [];
  for (let n = -warmUp; n < count; n++) {
    const [began, before] = [performance.now(), spentMs()];
    await planOnce(planner, `bench-alone-${n}`, signal);
    if (n >= 0) alone.push(performance.now() - began - (spentMs() - before));
  }

  stage.say(`${together} requests at once`);
  const began = performance.now();
  await Promise.all(
    Array.from({ length: together }, (_, n) => planOnce(planner, `bench-beside-${n}`, signal)),
  );
  const overheadMs = (performance.now() - began - thinkingMs) / together;

  return [
    makeRow({
      name: 'planner',
      what: `a turn beside the model's own time, p50 of ${count}`,
      unit: 'ms',
      value: median(alone),
      target,
    }),
    makeRow({
      name: 'planner/together',
      what: `the same, a turn of ${together} that are planned at once`,
      unit: 'ms',
      value: overheadMs,
      target: { reach: 30, stretch: 20 },
    }),
    makeRow({
      name: 'planner/for-each',
      what: `${files} files, each a step: from asking to the stored plan, beside the model`,
      unit: 's',
      value: (await planForEach(stage)) / 1000,
      target: { reach: 3, stretch: 1.5 },
    }),
    makeRow({
      name: 'planner/rows',
      what: `${rows} rows of a table, each a letter, and a summary, without a model: from asking to the stored plan`,
      unit: 's',
      value: (await planRows(stage)) / 1000,
      target: { reach: 20, stretch: 5 },
    }),
  ];
};

function writeFile(stage: Stage, { registry }: Instance, path: string, content: string) {
  const context = outsidePlan({
    ...{ idempotencyKey: path, user: 'bench', timezone: 'UTC' },
    signal: stage.signal,
  });
  return registry.of(null).get('workspace_write')?.call({ path, content }, context);
}

async function planRows(stage: Stage): Promise<number> {
  stage.say(`one command for ${rows} rows`);
  const instance = await stage.openInstance({ work: true });
  const { service } = instance;
  const lines = Array.from({ length: rows }, (_, n) => `${n + 1},Person ${n + 1}`);
  await writeFile(stage, instance, 'orders.csv', `id,name\n${lines.join('\n')}\n`);
  const began = performance.now();
  const { run_id } = await service.startRun(
    {
      text: 'For every row in orders.csv write a letter to letters/<id>.md, then write one summary of all letters',
    },
    person('bench', 'api'),
  );
  const run = await until(stage.signal, async () => {
    const now = await service.getRun(run_id);
    return now.planning_status === 'running' ? null : now;
  });
  if (run.plan_id === undefined) throw new Error(`No plan came of it: ${run.response_text}`);
  return performance.now() - began;
}

/** Milliseconds without the model's. */
async function planForEach(stage: Stage): Promise<number> {
  stage.say(`one request for ${files} files`);
  const { model, spentMs } = createSlowModel(['for_each', forEach], ['submit_plan', submission]);
  const inner: { planner: Planner | null } = { planner: null };
  const planner: Planner = {
    name: 'bench',
    plan(...args) {
      if (inner.planner === null) throw new Error('the planner is not there yet');
      return inner.planner.plan(...args);
    },
  };
  const instance = await stage.openInstance({ work: true, planner });
  inner.planner = openPlanner(instance, model);
  const { service } = instance;
  for (let n = 0; n < files; n++) await writeFile(stage, instance, `data/${n}.txt`, `${n}`);
  const began = performance.now();
  const { run_id } = await service.startRun(
    { text: 'Move each of the 2,000 files in data/' },
    person('bench', 'api'),
  );
  const run = await until(
    stage.signal,
    async () => {
      const now = await service.getRun(run_id);
      return now.planning_status === 'running' ? null : now;
    },
    5,
  );
  const tookMs = performance.now() - began - spentMs();
  const steps = run.plan_id === undefined ? 0 : (await service.overview(run.plan_id)).total;
  if (steps !== files) throw new Error(`the bench's planner came to ${run.response_text}`);
  return tookMs;
}

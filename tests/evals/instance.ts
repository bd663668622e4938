// A case's workspace, with real built-in and canned operations.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Queryable } from '#db/database.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ScaffoldPart } from '#domain/planning/part.ts';
import { Settings } from '#domain/settings.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Operation, operationName } from '#domain/tool.ts';
import type { EndedPart, PlannerTools, PostTarget, PostTargets } from '#planner/ports.ts';
import { openPlannerTools } from '#planner/reads/open-reads.ts';
import { createRegistry } from '#tools/registry.ts';
import type { CannedOperation, EvalCase } from './case.ts';

export type EvalInstance = {
  tools: PlannerTools;
  reads: { name: string; args: JsonObject }[];
  close(): Promise<void>;
};

export async function openInstance(
  { files = {}, operations = [], guarded = [], plans = [], posts }: EvalCase,
  clock: Clock,
  timezone: string,
): Promise<EvalInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-eval-'));
  const workspaceDir = join(folder, 'workspace');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspaceDir, path)), { recursive: true });
    await writeFile(join(workspaceDir, path), content);
  }
  const { http, calendars } = Settings.parse({});
  const host = await createRegistry({
    workspaceDir,
    baseDir: folder,
    mcpServers: {},
    disabledTools: [],
    http,
    calendars,
    clock,
    chat: { post: refuse },
    reminders: { set: refuse },
    textModel: { complete: refuse },
    extraOperations: operations.map(toOperation),
    warn: () => {},
  });
  const registry = host.of(null);
  const inner = openPlannerTools({
    registry,
    catalogue: registry,
    db: noDatabase,
    allowed: { deny: [] },
    guarded,
    timezone,
    ...(posts === undefined ? {} : { posts: postIn(posts) }),
    parts: { plan: async (_, parts) => parts.map(planPart) },
    plansOf: async () => ({
      listPlans: async ({ status }) => ({
        plans: plans.filter((plan) => status === undefined || status.includes(plan.status)),
        next_cursor: null,
      }),
      async getPlan(id) {
        const plan = plans.find((one) => one.id === id);
        if (plan === undefined)
          throw new CountersignError('plan_not_found', `There is no plan ${id}.`);
        return plan;
      },
    }),
  });
  const reads: EvalInstance['reads'] = [];
  return {
    tools: {
      ...inner,
      // No more messages arrive while a case is planned.
      readJoined: async () => [],
      personsOf: async () => new Map(),
      call(name, args, signal) {
        reads.push({ name, args });
        return inner.call(name, args, signal);
      },
    },
    reads,
    async close() {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One task for a person: a case is about the scaffold. */
function planPart(part: ScaffoldPart): EndedPart {
  const { title, goal } = part;
  const args = { question: goal.slice(0, 500), assignee: 'ana' };
  const step = { id: '1', description: title, tool: 'human', operation: 'task', args };
  return { part, status: 'planned', steps: [step], message: null, cost_usd: 0 };
}

function postIn(posts: PostTarget[]): PostTargets {
  return {
    list: async () => posts,
    resolve: async (_, targets) =>
      new Map(
        targets.map((target) => [
          target,
          posts.some(({ conversation }) => conversation === target)
            ? { pinned: target }
            : {
                refusal: `This plan can't post in "${target}": no conversation it can reach has that name. To post where the plan was asked for, leave "conversation" out (as a command: post "…" here).`,
              },
        ]),
      ),
  };
}

/** All plans come from the case, so nothing reads the database. */
const noDatabase = {} as Queryable;

function refuse(): Promise<never> {
  throw new Error('Nothing runs while an eval plans.');
}

function toOperation({ answers, ...spec }: CannedOperation): Operation {
  const name = operationName(spec.tool, spec.operation);
  return {
    ...spec,
    name,
    source: 'mcp',
    trusted: true,
    async call(args) {
      const found = answers.find(({ args: wanted = {} }) =>
        Object.entries(wanted).every(
          ([key, value]) => JSON.stringify(args[key]) === JSON.stringify(value),
        ),
      );
      if (found === undefined) throw new CountersignError('tool_failed', `${name}: not found.`);
      if (found.data instanceof Error)
        throw new CountersignError('tool_failed', found.data.message);
      return { summary: `${name} answered.`, data: found.data };
    },
  };
}

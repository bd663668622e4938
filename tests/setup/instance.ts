// A whole instance; only the planner may be scripted.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { type Config, loadConfig } from '#app/config.ts';
import type { Instance, InstanceOptions } from '#app/wire/instance.ts';
import { openInstance } from '#app/wire.ts';
import type { InboxHandlers, InboxRule } from '#chat/inbox/inbox-context.ts';
import type { ChatPorts, DeliveryRule } from '#chat/outbox/delivery-context.ts';
import type { Platform } from '#chat/platform.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { Plan, PlanDraft, PlanStatus } from '#domain/plan/plan.ts';
import type { Planner, PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { Settlement } from '#domain/service.ts';
import { parsePolicyRequest } from '#planner/policy/policy-words.ts';
import { draftStep } from '../fixtures/steps.ts';
import { waitFor } from '../wait.ts';

export type TestInstance = Instance & { config: Config; workspace: string };

export const ana: Actor = person('ana', 'api');
export const ben: Actor = person('ben', 'api');

/**
 * `close` also removes its folder.
 * @param options.settings the content of `countersign.json`
 */
export async function openTestInstance(
  url: string,
  options: {
    settings?: object;
    env?: Record<string, string>;
    planner?: Planner;
    work?: InstanceOptions['work'];
    workspace?: string;
    inboxHandlers?: InboxHandlers;
    inboxRule?: Partial<InboxRule>;
    chatPorts?: ChatPorts;
    platforms?: readonly Platform[];
    deliveryRule?: Partial<DeliveryRule>;
    extraOperations?: InstanceOptions['extraOperations'];
    log?: Logger;
    chatLinkTo?: (planId: string) => string | null;
    recoverEveryMs?: number;
    awaitTools?: boolean;
  } = {},
): Promise<TestInstance> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-instance-'));
  const file = join(home, 'countersign.json');
  await writeFile(
    file,
    JSON.stringify({ executor: { lease_seconds: 2 }, ...(options.settings ?? {}) }),
  );
  const config = loadConfig(
    {
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: process.env.DATABASE_POOL_SIZE,
      COUNTERSIGN_HOME: home,
      COUNTERSIGN_CONFIG: file,
      COUNTERSIGN_TIMEZONE: 'Europe/Madrid',
      ...(options.workspace === undefined ? {} : { COUNTERSIGN_WORKSPACE: options.workspace }),
      ...options.env,
    },
    home,
    options.platforms,
  );
  const instance = await openInstance({
    config,
    log: options.log ?? pino({ level: process.env.TEST_LOG ?? 'silent' }),
    work: options.work ?? true,
    linkTo: () => null,
    ...(options.chatLinkTo === undefined ? {} : { chatLinkTo: options.chatLinkTo }),
    // A round costs twenty statements per open instance.
    recoverEveryMs: options.recoverEveryMs ?? 1000,
    ...(options.planner === undefined ? {} : { planner: options.planner }),
    inboxHandlers: options.inboxHandlers,
    inboxRule: options.inboxRule,
    chatPorts: options.chatPorts,
    deliveryRule: options.deliveryRule,
    ...(options.extraOperations === undefined ? {} : { extraOperations: options.extraOperations }),
  });
  if (options.awaitTools !== false)
    await waitForTools(instance, Object.keys(config.settings.mcpServers));
  return {
    ...instance,
    config,
    workspace: config.workspace,
    async close() {
      await instance.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Slow on a busy machine. */
async function waitForTools({ registry }: Instance, servers: string[]): Promise<void> {
  const isThere = (name: string) => registry.status().some(({ tool, ok }) => tool === name && ok);
  await waitFor('every server of tools', () => servers.every(isThere), { timeoutMs: 60_000 });
}

/** Applies `change` to what `host` opens for any organisation. */
export function withOpened<H extends { of(tenant: string | null): object }>(
  host: H,
  change: (opened: ReturnType<H['of']>) => Partial<ReturnType<H['of']>>,
): H {
  const of: H['of'] = (tenant) => {
    const opened = host.of(tenant) as ReturnType<H['of']>; // TypeScript takes the type of `of` from the constraint.
    return { ...opened, ...change(opened) };
  };
  return { ...host, of };
}

export function scriptedPlanner(
  script: (request: PlanningRequest) => PlanningOutcome['result'],
): Planner {
  return {
    name: 'scripted planner',
    parsePolicyRequest,
    plan: async (request) => ({
      result: script(request),
      reason: 'scripted',
      planner: 'scripted planner',
      confidence: 0.9,
      cost_usd: 0.01,
      trace: [],
      session: null,
    }),
  };
}

export type DraftOrSteps = PlanDraft | PlanDraft['steps'];

export async function runPlan(
  instance: Instance,
  draft: DraftOrSteps,
  actor: Actor = ana,
): Promise<Plan> {
  const { service } = instance;
  const whole = Array.isArray(draft) ? { title: 'A plan', steps: draft } : draft;
  const plan = await service.propose(whole, { user: actor.id }, actor);
  await service.approve(plan.id, { version: plan.version, digest: plan.digest }, actor);
  return plan;
}

/** Until `waiting` steps wait for people and nothing else can run. */
export async function runUntilHeld(
  instance: Instance,
  draft: Omit<PlanDraft, 'title'>,
  waiting = 1,
): Promise<Plan> {
  const plan = await runPlan(instance, { title: 'Held', ...draft });
  return waitFor(`${plan.id} to wait`, async () => {
    const now = await instance.service.getPlan(plan.id);
    const { waiting: asked, running, ready } = now.counts;
    return now.status === 'executing' && asked === waiting && running + ready === 0 ? now : null;
  });
}

export async function settleAsRead(
  { service }: Instance,
  id: string,
  steps: NonNullable<Settlement['steps']>,
  actor: Actor = ana,
): Promise<Plan> {
  const waiting = (await service.getSteps(id, Object.keys(steps))).flatMap((step) =>
    step.status === 'waiting' ? [[step.id, { attempt: step.attempt, status: step.status }]] : [],
  );
  const settlement = { version: 1, steps, about: Object.fromEntries(waiting) };
  return service.resume(id, settlement, actor);
}

export function reach(instance: Instance, id: string, ...statuses: PlanStatus[]): Promise<Plan> {
  return waitFor(
    `${id} to be ${statuses.join(' or ')}`,
    async () => {
      const plan = await instance.service.getPlan(id);
      return statuses.includes(plan.status) ? plan : null;
    },
    { timeoutMs: 20_000 },
  );
}

export function noop(id: string, ...after: string[]) {
  return draftStep(id, `Do nothing (${id})`, 'control_noop', {}, ...after);
}

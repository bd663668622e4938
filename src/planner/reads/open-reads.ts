// The planner's read-only view of the instance.
import { randomUUID } from 'node:crypto';
import type { Queryable } from '#db/database.ts';
import { readPersons } from '#db/people/identities.ts';
import { listPlans, readPlan } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { payingRun } from '#domain/planning/part.ts';
import type { PlanReads } from '#domain/service.ts';
import type { Settings } from '#domain/settings.ts';
import type { JsonObject } from '#domain/text.ts';
import {
  type Catalogue,
  isOffered,
  type OperationSpec,
  outsidePlan,
  type ToolRegistry,
} from '#domain/tool.ts';
import { describeCall } from '#tools/describe-call.ts';
import { decideCall, plannerOperations } from '#tools/guard.ts';
import { createSeenShapes } from '#tools/seen-shapes.ts';
import type {
  AttachedFiles,
  BackendOffer,
  Capacity,
  DataRequests,
  PartPlanners,
  PlannerTools,
  PlansAtHand,
  PostTargets,
} from '../ports.ts';
import { readJoinedMessages } from './joined-messages.ts';
import { lookAround } from './look-around.ts';

/** Sends data outside; `plannerTools` decides for operations that always do. */
function leavesByArguments(operation: OperationSpec, args: JsonObject): boolean {
  const classOf = (given: JsonObject) => describeCall(operation.name, operation, given).class;
  return classOf(args) === 'outside' && classOf({}) !== 'outside';
}

export function createReads({
  registry,
  allowed,
  guarded,
  timezone,
}: {
  registry: ToolRegistry;
  allowed: Settings['plannerTools'];
  guarded: Settings['guardedTools'];
  timezone: string;
}): Pick<PlannerTools, 'readable' | 'call'> {
  // Not those that continue after the call: nothing would poll them.
  const readable = () =>
    plannerOperations(registry, allowed).filter(
      ({ name }) => registry.get(name)?.checkLater === undefined,
    );
  const call: PlannerTools['call'] = async (name, args, signal, reader = { user: 'planner' }) => {
    const decision = decideCall({
      operation: name,
      scope: null,
      guarded,
      approvedBy: null,
      mode: 'block',
    });
    if (decision.kind !== 'allow') throw new CountersignError(decision.code, decision.reason);
    const operation = registry.get(name);
    if (operation === undefined || !readable().some((spec) => spec.name === name)) {
      throw new CountersignError(
        'guarded_operation',
        `${name} is not for planners. Put it into a step of the plan.`,
      );
    }
    if (leavesByArguments(operation, args)) {
      throw new CountersignError(
        'guarded_operation',
        `${name} with these arguments calls an address outside, which is not done while planning. Put it into a step of the plan.`,
      );
    }
    const context = { idempotencyKey: randomUUID(), timezone, signal, ...reader };
    const output = await operation.call(args, outsidePlan(context));
    if ('waitFor' in output || 'later' in output)
      throw new CountersignError(
        'guarded_operation',
        `${name} waits for a person or for running work, so planning cannot call it. Put it into a step of the plan.`,
      );
    return output;
  };
  return { readable, call };
}

export function openPlannerTools(options: {
  registry: ToolRegistry;
  catalogue: Pick<Catalogue, 'list' | 'validate'>;
  db: Queryable;
  allowed: Settings['plannerTools'];
  /** Never run outside an approved plan. */
  guarded: Settings['guardedTools'];
  timezone: string;
  /** By a run's participants; null for all plans. */
  plansOf?: (runId: string) => Promise<Pick<PlanReads, 'listPlans' | 'getPlan'> | null>;
  atHand?: PlansAtHand;
  posts?: PostTargets;
  files?: AttachedFiles;
  parts?: PartPlanners;
  requests?: DataRequests;
  calendars?: string[];
  guardedApprovers?: Settings['guardedApprovers'];
  capacity?: Capacity;
  estimateStep?: () => Promise<number>;
  backends?: () => Promise<(BackendOffer & { name: string })[]>;
}): PlannerTools {
  const {
    registry,
    catalogue,
    db,
    allowed,
    guarded,
    timezone,
    atHand,
    files,
    parts = null,
    requests = null,
    calendars = [],
    guardedApprovers = {},
    capacity = { pools: {}, capabilities: [] },
    backends = () => Promise.resolve([]),
  } = options;
  // A part's planner sees its run.
  const runOf = (runId: string) => payingRun({ runId, turn: 0 }).runId;
  const plansOf = async (runId: string) => (await options.plansOf?.(runOf(runId))) ?? null;
  const targets = options.posts;
  const posts: PostTargets | null =
    targets === undefined
      ? null
      : {
          list: (runId) => targets.list(runOf(runId)),
          resolve: (runId, names) => targets.resolve(runOf(runId), names),
        };
  async function getPlan(runId: string, id: string): Promise<Plan> {
    const plans = await plansOf(runId);
    return plans === null ? readPlan(db, id) : plans.getPlan(id);
  }
  const { shapes = createSeenShapes() } = registry;
  const manifest = () =>
    catalogue
      .list()
      .filter(isOffered)
      .map((spec) => shapes.describe(spec));
  const { readable, call } = createReads({ registry, allowed, guarded, timezone });
  return {
    manifest,
    readable,
    call,
    noteOutput: shapes.note,
    personsOf: (names) => readPersons(db, names),
    capacity,
    backends,
    ...(options.estimateStep === undefined ? {} : { estimateStep: options.estimateStep }),
    inspect: async (name, args, signal) =>
      (await registry.get(name)?.inspect?.(args, signal)) ?? null,
    validate: (name, args, unknown) => catalogue.validate(name, args, unknown),
    async listPlans(runId, filter) {
      const plans = await plansOf(runId);
      return plans === null ? listPlans(db, filter) : plans.listPlans(filter);
    },
    getPlan,
    readJoined: (run, after) => readJoinedMessages(db, run, after),
    posts,
    ...(files === undefined
      ? {}
      : { files: { read: (runId, ...rest) => files.read(runOf(runId), ...rest) } }),
    parts,
    requests:
      requests === null
        ? null
        : {
            fetch: (runId, ...rest) => requests.fetch(runOf(runId), ...rest),
            load: (runId, id) => requests.load(runOf(runId), id),
            keep: (runId, ...rest) => requests.keep(runOf(runId), ...rest),
          },
    lookAround: (runId, signal) =>
      lookAround(
        {
          manifest: manifest(),
          readable: new Set(readable().map(({ name }) => name)),
          call,
          calendars,
          servers: registry.status(),
          guardedApprovers,
          posts,
          pools: capacity.pools,
          backends,
        },
        runId,
        signal,
      ),
    atHand:
      atHand === undefined
        ? null
        : {
            ...atHand,
            async readPage(runId, id, after) {
              await getPlan(runId, id);
              return atHand.readPage(runId, id, after);
            },
            async readDraft(runId, id, values) {
              await getPlan(runId, id);
              return atHand.readDraft(runId, id, values);
            },
            async readWaiting(runId, id) {
              await getPlan(runId, id);
              return atHand.readWaiting(runId, id);
            },
            async readAnswer(runId, id, ...rest) {
              await getPlan(runId, id);
              return atHand.readAnswer(runId, id, ...rest);
            },
            async tryChange(runId, id, change) {
              await getPlan(runId, id);
              return atHand.tryChange(runId, id, change);
            },
          },
  };
}

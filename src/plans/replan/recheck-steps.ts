// Repeats steps' reads and raises findings for changed outputs.
import { isDeepStrictEqual } from 'node:util';
import { readOutputs } from '#db/plans/artifacts.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { readSteps, readStepsById } from '#db/steps/pages.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { hasRuntime, referencesOf } from '#domain/plan/arguments.ts';
import type { Evidence, RaisedFinding } from '#domain/plan/finding.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Settings } from '#domain/settings.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { type Operation, operationName, type ToolContext, type ToolHost } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { digestJson } from '#tools/catalogue.ts';
import { decideCall } from '#tools/guard.ts';
import type { Recheck } from '#tools/ports.ts';
import { resolveReferences } from '#tools/resolve-arguments.ts';
import { findChangedOperation } from '../content/digests.ts';
import { raiseFindings } from '../findings/raise.ts';
import type { PlansContext } from '../plans-context.ts';
import { startReplanning } from './start-replanning.ts';

export type RecheckContext = PlansContext & {
  registry: Pick<ToolHost, 'of'>;
  guardMode: Settings['guardMode'];
};

const pageSize = 200;
const callsAtOnce = 8;
const raisedAtOnce = 50;
const maxShown = 200;

/** Read nothing outside. */
const sourceless = new Set(['text', 'control', 'plan', 'human', 'chat', 'reminder']);

/** Null if it does more than read or is not as approved. */
function findRead(context: RecheckContext, plan: PlanRow, step: Step): Operation | null {
  const { guardedTools, guardMode } = context;
  const tools = context.registry.of(plan.tenant);
  const name = operationName(step.tool, step.operation);
  const operation = tools.get(name);
  if (step.effect !== 'read' || operation?.effect !== 'read' || operation.human === true)
    return null;
  if (operation.checkLater !== undefined) return null;
  if (operation.source === 'builtin' && sourceless.has(step.tool)) return null;
  if (findChangedOperation(plan.operation_digests, tools, name) !== null) return null;
  const { kind } = decideCall({
    operation: name,
    scope: plan.tools_required,
    guarded: guardedTools,
    approvedBy: plan.decided_by,
    effect: 'read',
    mode: guardMode,
  });
  // Also if such calls are otherwise only recorded.
  return kind === 'allow' ? operation : null;
}

/** Null if no longer known. */
async function readArguments(
  { db }: PlansContext,
  planId: string,
  step: Step,
): Promise<JsonObject | null> {
  if (step.final_args !== null) return step.final_args;
  if (hasRuntime(step.args)) return null;
  const needed = [...new Set(referencesOf(step.args).map(({ $from }) => $from))];
  const outputs = await readOutputs(db.query, planId, needed);
  return needed.every((id) => outputs.has(id)) ? resolveReferences(step.args, outputs) : null;
}

const show = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : shorten(JSON.stringify(value), maxShown);

/** `/text: "old" → "new"`, the first difference. */
function describeDifference(was: Json, now: Json, at = ''): string {
  if (Array.isArray(was) && Array.isArray(now)) {
    const index = was.findIndex((item, nth) => !isDeepStrictEqual(item, now[nth]));
    const place = index === -1 ? was.length : index;
    const [old, fresh] = [was[place], now[place]];
    if (old !== undefined && fresh !== undefined)
      return describeDifference(old, fresh, `${at}/${place}`);
    return `${at}/${place}: ${show(old)} → ${show(fresh)}`;
  }
  if (isObject(was) && isObject(now)) {
    const key = [...new Set([...Object.keys(was), ...Object.keys(now)])].find(
      (one) => !isDeepStrictEqual(was[one], now[one]),
    );
    if (key !== undefined) {
      const [old, fresh] = [was[key] as Json | undefined, now[key] as Json | undefined];
      if (old !== undefined && fresh !== undefined)
        return describeDifference(old, fresh, `${at}/${key}`);
      return `${at}/${key}: ${show(old)} → ${show(fresh)}`;
    }
  }
  return `${at === '' ? '' : `${at}: `}${show(was)} → ${show(now)}`;
}

function toFinding(
  step: Step,
  was: string,
  now: string,
  difference: string,
  by: string,
): RaisedFinding {
  const evidence: Evidence[] = [
    { step_id: step.id, text: shorten(difference, 2000), data: { was, now } },
  ];
  return {
    // Each new state once per attempt.
    key: `source_changed ${step.id} ${step.attempt} ${now}`,
    severity: 'ERROR',
    category: 'source_changed',
    message: `The source of step ${step.label} has changed since it was read.`,
    step_id: step.id,
    evidence,
    raisedBy: by,
  };
}

/** Null if unchanged, undefined if not read. */
async function recheckStep(
  context: RecheckContext,
  plan: PlanRow,
  step: Step,
  call: ToolContext,
): Promise<RaisedFinding | null | undefined> {
  const operation = step.status === 'succeeded' ? findRead(context, plan, step) : null;
  const args = operation === null ? null : await readArguments(context, plan.id, step);
  if (operation === null || args === null) return undefined;
  const before = (await readOutputs(context.db.query, plan.id, [step.id])).get(step.id);
  if (before === undefined) return undefined;
  const [was, by] = [digestJson(before), `step ${call.stepId}`];
  try {
    const output = await operation.call(args, { ...call, pay: null, callbackUrl: null });
    if ('waitFor' in output || 'later' in output) return undefined;
    const now = digestJson(output.data);
    if (now === was) return null;
    return toFinding(step, was, now, describeDifference(before, output.data), by);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    const difference = `It can't be read anymore: ${errorMessage(error)}`;
    return toFinding(step, was, error.code, difference, by);
  }
}

async function* readPages(
  { db }: PlansContext,
  planId: string,
  { ids, partition }: { ids?: string[]; partition?: string },
): AsyncGenerator<Step[]> {
  if (ids !== undefined) {
    for (let at = 0; at < ids.length; at += pageSize)
      yield await readStepsById(db.query, planId, ids.slice(at, at + pageSize));
    return;
  }
  for (let after = 0; partition !== undefined; ) {
    const page = await readSteps(db.query, planId, { partition, present: true }, after, pageSize);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.position;
  }
}

/** In batches, as the plan waits meanwhile; then replans if automatic. A retry after a crash raises the rest. */
async function raiseChanged(
  context: RecheckContext,
  planId: string,
  findings: RaisedFinding[],
): Promise<void> {
  for (let at = 0; at < findings.length; at += raisedAtOnce) {
    const some = findings.slice(at, at + raisedAtOnce);
    await context.db.transaction(async (tx) => {
      const row = await lockPlan(tx, planId);
      await raiseFindings(context, tx, row, some);
      if (at + raisedAtOnce >= findings.length)
        await startReplanning(context, tx, await lockPlan(tx, planId));
    });
  }
}

export async function recheckSteps(
  context: RecheckContext,
  selected: { ids?: string[]; partition?: string },
  call: ToolContext,
): Promise<Recheck> {
  const { planId, signal } = call;
  if (planId === null)
    throw new CountersignError(
      'invalid_arguments',
      'This operation only runs as a step of a plan.',
    );
  const plan = await readPlanRow(context.db.query, planId);
  const found: Recheck = { checked: 0, skipped: 0, changed: [] };
  const findings: RaisedFinding[] = [];
  for await (const page of readPages(context, planId, selected)) {
    for (let at = 0; at < page.length; at += callsAtOnce) {
      signal.throwIfAborted();
      const some = page.slice(at, at + callsAtOnce);
      const results = await Promise.all(some.map((step) => recheckStep(context, plan, step, call)));
      for (const [index, result] of results.entries()) {
        if (result === undefined) found.skipped++;
        else found.checked++;
        if (result == null) continue;
        findings.push(result);
        found.changed.push(some[index]?.id ?? '');
      }
    }
  }
  await raiseChanged(context, planId, findings);
  return found;
}

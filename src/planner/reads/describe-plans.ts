// Describes existing plans briefly; plan_get has the rest.
import { dollars } from '#domain/budget.ts';
import type { BriefPlan, BriefStep } from '#domain/plan/brief.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { describeRepetition } from '#timeline/repetition.ts';

type At = { timezone: string; now: Date };

/** Characters; the second of a plan that cannot change any more. */
const maxCalls = 3000;
const maxPastCalls = 1500;
const maxNotable = 6;

/** `PLAN-1a2b3c4d completed, 5 steps, cost $0.03: Tidy up` */
export function summarisePlan(plan: PlanSummary): string {
  const { id, status, title, total_steps, cost_usd, counts } = plan;
  const waiting = counts.waiting === 0 ? '' : `, ${counts.waiting} waiting for somebody`;
  const cost = cost_usd === 0 ? '' : `, cost ${dollars(cost_usd)}`;
  return `${id} ${status}, ${countOf(total_steps, 'step')}${waiting}${cost}: ${onOneLine(title, 100)}`;
}

function isNotable({ status }: BriefStep): boolean {
  return ['failed', 'unknown', 'waiting', 'stale'].includes(status);
}

type Detail = 'head' | 'call';

function describeStep(step: BriefStep, detail: Detail, { timezone }: At): string {
  const {
    label,
    id,
    status,
    description,
    operation,
    args,
    after,
    when,
    error,
    question,
    asks,
    starts_at,
  } = step;
  const name = label === id ? label : `${label} (id ${id})`;
  const isTask = operation === 'human_task' || operation === 'human_confirm';
  const mark =
    asks !== undefined
      ? ` (only ${onOneLine(asks, 60)} answers)`
      : status === 'waiting' && !isTask
        ? ' (on its card only)'
        : '';
  const from =
    starts_at === undefined
      ? ''
      : `, from ${toLocalIso(new Date(starts_at), timezone).slice(0, 16)}`;
  const head = `  ${name} ${status}${mark}${from}: ${onOneLine(description, 80)}`;
  if (detail === 'head') return head;
  const waits = after.length === 0 ? '' : `, after ${after.join(', ')}`;
  const only = when === undefined ? '' : `, when ${onOneLine(JSON.stringify(when), 300)}`;
  const came = error ?? question;
  return [
    `${head} [${operation} ${onOneLine(args, 400)}${waits}${only}]`,
    ...(came === undefined ? [] : [`    ${onOneLine(came, 300)}`]),
  ].join('\n');
}

/** All calls if they fit, else of failed or waiting steps. */
function describeSteps({ steps, waits }: BriefPlan, at: At): string[] {
  const lines = steps.map((step) => describeStep(step, 'call', at));
  if (lines.join('').length <= (waits === undefined ? maxPastCalls : maxCalls)) return lines;
  let notable = 0;
  return steps.map((step) => {
    if (isNotable(step)) notable += 1;
    return describeStep(step, isNotable(step) && notable <= maxNotable ? 'call' : 'head', at);
  });
}

/** `  “Report” (series weekly) repeats by FREQ=WEEKLY, …: steps 1, 2` */
function describeSeries(series: NonNullable<BriefPlan['series']>[number], { now }: At): string {
  const { id, title, rrule, steps } = series;
  return `  ${quoteWords(title, 100)} (series ${id}) repeats by ${rrule}, ${describeRepetition(series, now)}: steps ${steps.join(', ')}`;
}

function describeFinding(finding: NonNullable<BriefPlan['findings']>[number]): string {
  const { id, severity, category, message, step_id, partition, stale_steps } = finding;
  const place = step_id ?? (partition === null ? null : `part ${partition}`);
  const about = place === null ? '' : ` about ${place}`;
  const stale = stale_steps === 0 ? '' : `; ${countOf(stale_steps, 'step')} stale because of it`;
  return `  Finding ${id} (${severity}, ${category})${about}: ${onOneLine(message, 300)}${stale}`;
}

/** `, cost $0.03 of at most $0.20` */
function describeCost({ cost_usd, budget_usd }: BriefPlan): string {
  const limit = budget_usd === undefined ? '' : ` of at most ${dollars(budget_usd)}`;
  return cost_usd === 0 && limit === '' ? '' : `, cost ${dollars(cost_usd)}${limit}`;
}

/** `, asked for by Ana Weiss, decided on by Ben Ito` */
function describePeople({ people }: BriefPlan): string {
  if (people === undefined) return '';
  const { asked_by, decided_by } = people;
  const by = decided_by === null ? '' : `, decided on by ${onOneLine(decided_by, 60)}`;
  return `, asked for by ${onOneLine(asked_by, 60)}${by}`;
}

function describeRule({ approvers }: NonNullable<BriefPlan['waits']>): string {
  return onOneLine(JSON.stringify(approvers), 300);
}

export function describePlan(plan: BriefPlan, at: At): string {
  const { id, title, status, revision, total_steps, waits, waiting_change } = plan;
  const { findings = [], series = [], steps } = plan;
  const left = total_steps - steps.length;
  return [
    `${id} ${status}, revision ${revision}, ${countOf(total_steps, 'step')}${describeCost(plan)}${describePeople(plan)}: ${onOneLine(title, 100)}`,
    ...(waits === undefined
      ? []
      : [`  requester ${onOneLine(waits.requester, 60)}; approved by ${describeRule(waits)}`]),
    ...series.map((one) => describeSeries(one, at)),
    ...describeSteps(plan, at),
    ...(left > 0 ? [`  and ${left} more`] : []),
    ...findings.map(describeFinding),
    ...(waiting_change === undefined
      ? []
      : [
          `  A change by ${onOneLine(waiting_change.proposed_by, 60)} waits: ${onOneLine(waiting_change.changes.join('; '), 300)}`,
        ]),
  ].join('\n');
}

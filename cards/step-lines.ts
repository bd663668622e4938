// Steps as numbered lines of a card.
import type { PlanCardFacts, StepTimes } from '#domain/chat/card.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { asksForValues, type ShownStep } from '#domain/plan/call.ts';
import { fieldsOf } from '#domain/plan/form.ts';
import {
  asksYesOrNo,
  assigneeOf,
  isHumanTask,
  leftOutByNo,
  takerOf,
} from '#domain/plan/human-task.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import { describeDependency, type NumberedStep, orderByLabel } from '#domain/plan/step-numbers.ts';
import { describeHandedOver, offlinePlanner } from '#domain/plan/step-words.ts';
import { cleanLine, quoteName } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { boundsOf, leadOf, shortenCall } from './calls.ts';
import { quote, showPerson } from './plain.ts';
import { describeLength, tellLimit, tellSpan, tellTime } from './times.ts';
import type { Line, Quote } from './view.ts';
import { describeRetry } from './words.ts';

/** Default: the requester; null for code. */
function doerOf(step: Step, plan: Pick<Plan, 'requester'>): string | null {
  return isHumanTask(step) ? (assigneeOf(step) ?? step.target ?? plan.requester) : null;
}

export function personOf(step: Step, facts: PlanCardFacts): string | null {
  const name = doerOf(step, facts.plan);
  return name === null ? null : showPerson(facts, name, 60);
}

type Named = { viewer: Pick<PlanCardFacts['viewer'], 'user' | 'names'> };

export function viewerIs(name: string, { viewer }: Named): boolean {
  return [viewer.user, ...(viewer.names?.own ?? [])].some((own) =>
    isSamePerson(cleanLine(name), cleanLine(own)),
  );
}

/** The viewer is `you`. */
export function callPerson(facts: Named & Pick<PlanCardFacts, 'names'>, name: string): string {
  return viewerIs(name, facts) ? 'you' : showPerson(facts, name, 60);
}

export function isViewers(step: Step, facts: PlanCardFacts): boolean {
  const name = doerOf(step, facts.plan);
  return name !== null && viewerIs(name, facts);
}

/** As assignee, delegate, or after taking over. */
export function mayAnswer(step: Step, facts: PlanCardFacts): boolean {
  const taker = takerOf(step);
  const asked = assigneeOf(step);
  const lent = facts.viewer.names?.lent ?? [];
  return (
    isViewers(step, facts) ||
    (taker !== null && viewerIs(taker, facts)) ||
    (asked !== null && lent.some((name) => isSamePerson(name, asked)))
  );
}

/** Fields a person will be asked for. */
function formNotes({ args }: Step): string[] {
  const labels = fieldsOf(args.form).map(({ label }) => label);
  const shown = labels.slice(0, 6).map((label) => quoteName(label, 60));
  const more = labels.length - shown.length;
  const all = more === 0 ? shown : [...shown, `${more} more`];
  return all.length === 0 ? [] : [`fills in ${listOf(all)}`];
}

/** `steps 3 and 4 are not run`: skipped by a No. */
export function effectOfNo(step: Step, { steps, plan }: PlanCardFacts): string | null {
  if (steps.length < plan.total_steps) return 'the steps that wait for it are not run';
  const left = leftOutByNo(steps, step);
  const labels = orderByLabel(steps, plan.total_steps).flatMap(({ step: one, label }) =>
    left.has(one.id) ? [label] : [],
  );
  const [first, ...others] = labels;
  if (first === undefined) return null;
  return others.length === 0 ? `step ${first} is not run` : `steps ${listOf(labels)} are not run`;
}

const doubts = {
  unknown: ', a name that no account here has',
  several: ', a name that several here have',
};

/** If the assignee can't be reached. */
function doubtOf(step: Step, { unsure }: PlanCardFacts): string {
  const name = assigneeOf(step);
  const doubt = name === null || unsure === undefined ? undefined : unsure[name];
  return doubt === undefined ? '' : doubts[doubt];
}

const ended = new Set<Step['status']>(['succeeded', 'failed', 'skipped', 'cancelled', 'unknown']);

/** With waits, deadline and stops for a Yes. */
function describeWhen(
  step: ShownStep,
  span: StepTimes | undefined,
  facts: PlanCardFacts,
  nameStep: (id: string) => string,
): string[] {
  if (ended.has(step.status)) return [];
  const length = describeLength(step, facts.working_day_minutes);
  // A moment up to the proposal is the approval's.
  const dated =
    span !== undefined && (span.starts_at < span.ends_at || span.starts_at > facts.plan.created_at);
  const date = dated ? tellSpan(span.starts_at, span.ends_at, facts, ' – ') : null;
  const when = date === null ? length : `${date}${length === null ? '' : ` (${length})`}`;
  const waits = step.after
    .filter(({ lag_minutes }) => lag_minutes > 0)
    .map((edge) => describeDependency({ ...edge, id: `step ${nameStep(edge.id)}` }));
  const limit = span?.deadline == null ? [] : [`by ${tellLimit(span.deadline, facts)}`];
  return [...(when === null ? [] : [when]), ...waits, ...limit, ...describeQuestion(step, facts)];
}

/** `asks you before it is sent`, for values decided at run time. */
function describeQuestion(step: ShownStep, facts: PlanCardFacts): string[] {
  const { call, args, guarded } = step;
  const asksAnyway = step.ask_before || facts.plan.step_approval === 'each' || isHumanTask(step);
  if (asksAnyway || step.final_args !== null || !asksForValues(args, guarded, call)) return [];
  const who = callPerson(facts, facts.plan.requester);
  return [`asks ${who} before it ${call.class === 'outside' ? 'is sent' : 'runs'}`];
}

const maxValue = 200;

/** `for Ben`, unless the call says so, and fields. */
function describePerson(step: ShownStep, person: string | null, facts: PlanCardFacts): string[] {
  if (person === null) return [];
  const doubt = doubtOf(step, facts);
  const named = doubt === '' && shortenCall(step.call, maxValue).text.includes(person);
  return [...(named ? [] : [`for ${person}${doubt}`]), ...formNotes(step)];
}

export function notesOf(step: ShownStep, facts: PlanCardFacts): string[] {
  const person = personOf(step, facts);
  const formatAt = (iso: string) => tellTime(iso, facts);
  const retry = describeRetry(step, formatAt);
  const elsewhere = describeHandedOver(step);
  const left = asksYesOrNo(step) ? effectOfNo(step, facts) : null;
  const nameAsked = (id: string) => {
    const asking = facts.steps.find((one) => one.id === id);
    return asking === undefined ? null : personOf(asking, facts);
  };
  const nameStep = (id: string) => facts.labels[id] ?? id;
  const span = facts.times?.[step.id];
  // The date says it.
  const bounded = span === undefined ? step : { ...step, not_before: null };
  return [
    ...describeWhen(step, span, facts, nameStep),
    ...boundsOf(bounded, nameStep, formatAt, nameAsked),
    ...describePerson(step, person, facts),
    ...(left === null ? [] : [`if No: ${left}`]),
    ...(elsewhere === null ? [] : [elsewhere]),
    ...(retry === null ? [] : [`↻ ${retry}`]),
  ];
}

const maxReason = 160;

const wordsIn = (text: string): string[] =>
  cleanLine(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+(?:[._/-][\p{L}\p{N}]+)*/gu) ?? [];

/** The offline planner only repeats the call. */
export function reasonOf(
  { description }: Pick<Step, 'description'>,
  { planner_model }: Pick<Plan, 'planner_model'>,
): Quote[] {
  return planner_model === offlinePlanner ? [] : quote('Reason', description, maxReason);
}

/** Null if it adds nothing. */
function shortReasonOf(
  { description, call }: Pick<ShownStep, 'description' | 'call'>,
  plan: Pick<Plan, 'planner_model'>,
): Quote[] {
  const inCall = new Set(wordsIn(shortenCall(call, maxValue).text));
  const [, ...named] = wordsIn(description);
  const adds = named.some((word) => word.length > 3 && !inCall.has(word));
  return adds ? reasonOf({ description }, plan) : [];
}

const maxError = 400;

/** The error before a retry. */
export function retriedOf({ status, error }: Pick<Step, 'status' | 'error'>): Quote[] {
  return status === 'ready' && error?.retry !== undefined
    ? quote('Error', error.message, maxError)
    : [];
}

export function quotesOf(step: ShownStep, plan: Pick<Plan, 'planner_model'>): Quote[] {
  return [...retriedOf(step), ...reasonOf(step, plan)];
}

/** Effects were shown before. */
export function nameOf({ call }: ShownStep): string {
  return shortenCall(call, 80, 1).text;
}

export function stepLine(
  { step, label, after }: Pick<NumberedStep<ShownStep>, 'step' | 'label' | 'after'>,
  facts: PlanCardFacts,
  most = maxValue,
): { line: Line; cut: boolean } {
  const { text, cut } = shortenCall(step.call, most, undefined, facts.now);
  const line = {
    lead: leadOf(label, step.guarded, step.call.destructive),
    text,
    note: notesOf(step, facts).join(' · '),
    quotes: [...retriedOf(step), ...shortReasonOf(step, facts.plan)],
    // The note has the wait.
    aside: step.after.some(({ lag_minutes }) => lag_minutes > 0) ? '' : after,
    url: null,
  };
  return { line, cut };
}

// The hard gates: problems of an outcome, as sentences. Pure.
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { dependenciesOf, type StepDraft, sourcesOf } from '#domain/plan/step-content.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { isObject, type Json } from '#domain/text.ts';
import { toMoment } from '#timeline/recurrence.ts';
import type { Expectation, StepGate, Wanted } from './case.ts';

export type Judged = {
  outcome: PlanningOutcome;
  previous: PlanDraft | null;
  timezone: string;
  reads: string[];
  prompts: number[];
};

type Found = Map<string, StepDraft>;

export function judge(expect: Expectation, judged: Judged): string[] {
  const { result } = judged.outcome;
  const kinds: string[] = [expect.outcome].flat();
  const draft = result.kind === 'proposal' ? result.draft : null;
  const shown = readShown(result);
  return [
    ...(kinds.includes(result.kind)
      ? []
      : [`the outcome is ${result.kind} (${shown.slice(0, 300)}), not ${kinds.join(' or ')}`]),
    ...(draft === null ? [] : judgePlan(expect, draft, judged)),
    ...judgeWords(expect, shown),
    ...judgeReads(expect, judged.reads),
    ...judgeSize(expect, judged.prompts),
    ...judgeKept(expect, judged),
    ...(expect.keepsPolicy === true && judged.outcome.session?.wish != null
      ? [`it keeps a wish of nobody: ${JSON.stringify(judged.outcome.session.wish)}`]
      : []),
  ];
}

function judgeKept({ keeps }: Expectation, { outcome }: Judged): string[] {
  const kept = (outcome.session?.memory?.keep ?? []).map(({ text }) => text);
  return keeps === undefined || JSON.stringify(kept) === JSON.stringify(keeps)
    ? []
    : [`it remembers ${JSON.stringify(kept)}, not ${JSON.stringify(keeps)}`];
}

export function readShown(result: PlanningOutcome['result']): string {
  if (result.kind === 'proposal') return readPlan(result.draft);
  return 'text' in result ? result.text : '';
}

function readPlan({ title, summary = '', risks = [], steps, series = [] }: PlanDraft): string {
  const all = [...steps, ...series.flatMap((one) => one.steps)];
  return [
    title,
    summary,
    ...risks.map((risk) => (typeof risk === 'string' ? risk : risk.text)),
    ...all.map(({ description }) => description),
  ].join('\n');
}

const nameOf = ({ tool, operation }: StepDraft) => `${tool}_${operation}`;

function judgePlan(expect: Expectation, draft: PlanDraft, judged: Judged): string[] {
  const all = [...draft.steps, ...(draft.series ?? []).flatMap(({ steps }) => steps)];
  const { steps: gates = [], count, only, never = [], order = [] } = expect;
  const found: Found = new Map();
  const problems = matchSteps(gates, all, found, judged.timezone);
  if (count !== undefined && all.length !== count)
    problems.push(`the plan has ${all.length} steps, not ${count}: ${list(all)}`);
  for (const step of all) {
    const name = nameOf(step);
    if (never.includes(name) || (only !== undefined && !only.includes(name)))
      problems.push(`step ${step.id} must not be ${name}`);
  }
  for (const [first, second] of order) {
    const [one, other] = [found.get(first)?.id, found.get(second)?.id];
    if (one !== undefined && other !== undefined && !waitsFor(all, other).has(one))
      problems.push(`step ${other} (${second}) does not wait for step ${one} (${first})`);
  }
  return [...problems, ...judgeSeries(expect, draft), ...judgeChanged(expect, draft, judged)];
}

function list(steps: StepDraft[]): string {
  const shown = steps
    .slice(0, 8)
    .map((step) => `${step.id} ${nameOf(step)} ${JSON.stringify(step.args ?? {}).slice(0, 200)}`);
  return shown.join('; ') + (steps.length > shown.length ? '; …' : '');
}

/** Gives each gate its own step, the strictest gates first. */
function matchSteps(gates: StepGate[], steps: StepDraft[], found: Found, zone: string): string[] {
  const problems: string[] = [];
  const named = gates.map((gate, index) => ({ ...gate, key: gate.key ?? String(index + 1) }));
  for (const gate of named) {
    const taken = new Set(found.values());
    const free = steps.filter((step) => !taken.has(step));
    const step = free.find((one) => passes(gate, one, found, zone));
    if (step !== undefined) found.set(gate.key, step);
    else {
      const { key, ...wanted } = gate;
      problems.push(`no step is ${JSON.stringify(wanted)} (${key}). There are: ${list(steps)}`);
    }
  }
  return problems;
}

function passes(gate: StepGate, step: StepDraft, found: Found, zone: string): boolean {
  const { operation, args = {}, when, ask_before, not_before, minutes } = gate;
  const conditions = conditionsOf(step.when);
  const holds =
    when === undefined ||
    (when === true
      ? conditions.length > 0
      : conditions.some(
          ({ is, value }) =>
            (when.is === undefined || when.is === is) &&
            (when.value === undefined || JSON.stringify(when.value) === JSON.stringify(value)),
        ));
  return (
    nameOf(step) === operation &&
    holds &&
    (ask_before === undefined || step.ask_before === true) &&
    (minutes === undefined || step.duration_minutes === minutes) &&
    (not_before === undefined ||
      (step.not_before !== undefined && isMoment(step.not_before, not_before, zone))) &&
    Object.entries(args).every(([name, wanted]) => fits(step.args?.[name], wanted, found, zone))
  );
}

function isMoment(given: string, wanted: string, zone: string): boolean {
  try {
    return toMoment(given, zone).getTime() === new Date(wanted).getTime();
  } catch {
    return false; // Not a time.
  }
}

export function fits(given: Json | undefined, wanted: Wanted, found: Found, zone: string): boolean {
  if (!isObject(wanted) || !Object.keys(wanted).some((key) => key.startsWith('$')))
    return JSON.stringify(given) === JSON.stringify(wanted);
  const { $has, $lacks, $time, $absent, $any, $from, $decide } = wanted;
  const text = (typeof given === 'string' ? given : JSON.stringify(given ?? '')).toLowerCase();
  const isIn = (part: Json) => typeof part === 'string' && text.includes(part.toLowerCase());
  return (
    (!Array.isArray($has) || (given !== undefined && $has.every(isIn))) &&
    (!Array.isArray($lacks) || !$lacks.some(isIn)) &&
    (typeof $time !== 'string' || (typeof given === 'string' && isMoment(given, $time, zone))) &&
    ($absent !== true || given === undefined) &&
    (!Array.isArray($any) || $any.some((one) => JSON.stringify(one) === JSON.stringify(given))) &&
    (typeof $from !== 'string' || takesFrom(given, found.get($from)?.id)) &&
    ($decide !== true || text.includes('"$decide"'))
  );
}

/** As a reference, or inside a text. */
function takesFrom(given: Json | undefined, id: string | undefined): boolean {
  if (given === undefined || id === undefined) return false;
  return (
    referencesOf(given).some(({ $from }) => $from === id) ||
    JSON.stringify(given).includes(`{{${id}/`)
  );
}

/** Transitive. */
function waitsFor(steps: StepDraft[], id: string): Set<string> {
  const byId = new Map(steps.map((step) => [step.id ?? '', step]));
  const seen = new Set<string>();
  const open = [id];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const step = byId.get(one);
    if (step === undefined) continue;
    const before = [...dependenciesOf(step).map((dependency) => dependency.id), ...sourcesOf(step)];
    for (const other of before) {
      if (!seen.has(other)) open.push(other);
      seen.add(other);
    }
  }
  return seen;
}

function judgeSeries({ series }: Expectation, draft: PlanDraft): string[] {
  const given = draft.series ?? [];
  if (series === undefined) return [];
  return series.flatMap(({ rrule, starts_at, until }) => {
    const found = given.some(
      (one) =>
        fits(one.rrule, rrule, new Map(), one.timezone) &&
        (starts_at === undefined || isMoment(one.starts_at, starts_at, one.timezone)) &&
        (until === undefined || (one.until !== null && isMoment(one.until, until, one.timezone))),
    );
    return found
      ? []
      : [
          `nothing repeats by ${JSON.stringify({ rrule, starts_at, until })}; there is ${JSON.stringify(given.map(({ steps: _, ...one }) => one))}`,
        ];
  });
}

function judgeChanged({ changed }: Expectation, draft: PlanDraft, { previous }: Judged): string[] {
  if (changed === undefined || previous === null) return [];
  const stepsOf = ({ steps, series = [] }: PlanDraft) =>
    new Map(
      [...steps, ...series.flatMap((one) => one.steps)].map((step) => [
        step.id ?? '',
        JSON.stringify(step, Object.keys(step).toSorted()) + JSON.stringify(step.args),
      ]),
    );
  const [before, now] = [stepsOf(previous), stepsOf(draft)];
  const ids = new Set([...before.keys(), ...now.keys()]);
  const different = [...ids].filter((id) => before.get(id) !== now.get(id));
  const wrong = different.filter((id) => !changed.includes(id));
  const same = changed.filter((id) => !different.includes(id));
  return [
    ...wrong.map((id) => `step ${id} changed: ${before.get(id)} became ${now.get(id)}`),
    ...same.map((id) => `step ${id} is as it was`),
  ];
}

function judgeWords({ says = {} }: Expectation, text: string): string[] {
  const { has = [], lacks = [], oneOf = [] } = says;
  const isIn = (part: string) => text.toLowerCase().includes(part.toLowerCase());
  const shown = text.slice(0, 500);
  return [
    ...has.filter((part) => !isIn(part)).map((part) => `it does not say “${part}”: ${shown}`),
    ...lacks.filter(isIn).map((part) => `it says “${part}”: ${shown}`),
    ...(oneOf.length > 0 && !oneOf.some(isIn)
      ? [`it says none of ${oneOf.join(', ')}: ${shown}`]
      : []),
  ];
}

function judgeReads({ reads = {} }: Expectation, called: string[]): string[] {
  const { must = [], mustNot = [] } = reads;
  return [
    ...must.filter((name) => !called.includes(name)).map((name) => `${name} was not called`),
    ...mustNot.filter((name) => called.includes(name)).map((name) => `${name} was called`),
  ];
}

function judgeSize({ atMost = {} }: Expectation, prompts: number[]): string[] {
  const { calls = Infinity, tokens = Infinity, tokensACall = Infinity } = atMost;
  const sum = prompts.reduce((total, one) => total + one, 0);
  const most = Math.max(0, ...prompts);
  return [
    ...(prompts.length > calls ? [`it took ${prompts.length} model calls, not ${calls}`] : []),
    ...(sum > tokens ? [`its prompts have ${sum} tokens, more than ${tokens}`] : []),
    ...(most > tokensACall ? [`a prompt has ${most} tokens, more than ${tokensACall}`] : []),
  ];
}

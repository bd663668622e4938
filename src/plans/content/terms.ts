// Terms that an approval covers besides the steps.
import { isDeepStrictEqual } from 'node:util';
import { dollars } from '#domain/budget.ts';
import type { PatternSpec } from '#domain/plan/pattern.ts';
import type { Plan, PlanContext, Series } from '#domain/plan/plan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { endSentence } from '#domain/words.ts';
import { describeLeftOut } from '#timeline/left-out.ts';
import { formatMoment } from '#timeline/recurrence.ts';
import { describeRepetition, describeRule, isSameRepetition } from '#timeline/repetition.ts';

export type Terms = { confirm_each: boolean; series: Series[]; context: PlanContext };

const maxTitle = 80;

const nameOf = ({ title }: Series): string => quoteWords(title, maxTitle);

/** '' if the rule leaves none out. */
function describeOmissions({ rrule, timezone, starts_at, until }: Series): string {
  const recurrence = { rrule, timezone, startsAt: new Date(starts_at) };
  return describeLeftOut(recurrence, until === null ? null : new Date(until));
}

function describePattern(pattern: PatternSpec | undefined): string {
  if (pattern === undefined) return 'no pattern';
  const { pattern_type, subtype, variant } = pattern;
  return [pattern_type, subtype, variant].filter((name) => name !== undefined).join(' / ');
}

const describeWithStart = (series: Series): string =>
  `${describeRule(series)} from ${formatMoment(new Date(series.starts_at), series.timezone)}`;

/** As stored, where words round. */
function describeExactly(series: Series): string {
  const { rrule, starts_at, until } = series;
  const end = until === null ? '' : ` until ${until}`;
  return `${describeRule(series)} (${rrule} from ${starts_at}${end})`;
}

const precisions = [describeRule, describeWithStart];

const describeLimit = (usd: number | undefined): string =>
  usd === undefined ? 'no limit of its own' : `at most ${dollars(usd)}`;

export function compareSeries(before: Series, now: Series): string[] {
  const phrases: string[] = [];
  if (!isSameRepetition(before, now)) {
    const describe = precisions.find((one) => one(before) !== one(now)) ?? describeExactly;
    phrases.push(`${nameOf(now)} repeats ${describe(now)} instead of ${describe(before)}`);
  }
  if (!isDeepStrictEqual(before.steps, now.steps)) phrases.push(`${nameOf(now)} has other steps`);
  if (before.title !== now.title) phrases.push(`${nameOf(before)} is called ${nameOf(now)}`);
  return phrases;
}

export function compareTerms(a: Terms, b: Terms): string[] {
  const before = new Map(a.series.map((series) => [series.id, series]));
  const kept = new Set(b.series.map(({ id }) => id));
  const asks = b.confirm_each
    ? 'each step asks before it runs'
    : 'steps no longer ask before they run';
  const [was, is] = [describePattern(a.context.pattern), describePattern(b.context.pattern)];
  return [
    ...(a.confirm_each === b.confirm_each ? [] : [asks]),
    ...b.series.flatMap((series) => {
      const same = before.get(series.id);
      if (same !== undefined) return compareSeries(same, series);
      return [`${nameOf(series)} repeats ${describeRule(series)}`];
    }),
    ...a.series
      .filter(({ id }) => !kept.has(id))
      .map((series) => `${nameOf(series)} no longer repeats`),
    ...(was === is ? [] : [`pattern ${is} instead of ${was}`]),
    ...(a.context.budget_usd === b.context.budget_usd
      ? []
      : [
          `cost of models: ${describeLimit(b.context.budget_usd)} instead of ${describeLimit(a.context.budget_usd)}`,
        ]),
  ];
}

/** Sentences; with the next dates if a time is given. */
export function describeTerms(
  {
    step_approval,
    series,
    context,
  }: Pick<Plan, 'step_approval' | 'series'> & Partial<Pick<Plan, 'context'>>,
  now: Date | null,
): string[] {
  const budget_usd = context?.budget_usd;
  return [
    ...(budget_usd === undefined
      ? []
      : [`Once it runs, its models may cost ${describeLimit(budget_usd)}, planning included.`]),
    ...(step_approval === 'each' ? ['Each step asks before it runs.'] : []),
    ...series.map(
      (one) =>
        `${endSentence(`${nameOf(one)} repeats ${now === null ? describeRule(one) : describeRepetition(one, now)}`)}${describeOmissions(one)}`,
    ),
  ];
}

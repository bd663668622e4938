// The sections for deciding.
import type { PlanCardFacts, ReviewedCall } from '#domain/chat/card.ts';
import { sayLength } from '#domain/length.ts';
import { hasRuntime } from '#domain/plan/arguments.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { reviewRank } from '#domain/plan/review-rank.ts';
import { type NumberedStep, orderByLabel } from '#domain/plan/step-numbers.ts';
import type { ComparedStep, PartitionSummary } from '#domain/plan/views.ts';
import { cutShown, quoteName, quoteWords, showLine } from '#domain/shown-text.ts';
import { capitalise, countOf, listOf } from '#domain/words.ts';
import { headlineOf, markWords, shortenCall } from './calls.ts';
import { makeSection, plainLine, viewBlocked, viewFindings } from './findings.ts';
import { quote, showPerson } from './plain.ts';
import { stepLine } from './step-lines.ts';
import { tellBooked, tellLimit, tellTime } from './times.ts';
import { describeOthers, summariseFields } from './version-words.ts';
import type { Section } from './view.ts';
import { nameWay } from './words.ts';

const maxEffects = 12;
/** Characters of each value if there are few effects. */
const maxValueOfFew = 600;
const few = 4;
const maxSteps = 7;
const maxChanges = 6;
const maxChange = 80;
const maxRisks = 3;
const maxTerms = 5;
/** Not cut: the source limits terms. */
const maxTerm = 2000;
const maxConflict = 300;
const maxConflicts = 3;

/** Content without an occurrence's date. */
function contentOf(step: ShownStep, template: string): string {
  const { id, description, tool, operation, args, effect, guarded } = step;
  const name = id.slice(template.length);
  const calls = JSON.stringify(args, (key, value: unknown) =>
    key === '$from' && typeof value === 'string' && value.endsWith(name)
      ? value.slice(0, -name.length)
      : value,
  );
  return JSON.stringify([template, description, tool, operation, calls, effect, guarded]);
}

/** Null unless `id` is an occurrence. */
function templateOf(id: string, { plan }: PlanCardFacts): string | null {
  const template = id.slice(0, Math.max(0, id.lastIndexOf('#')));
  const isRecurring = plan.series.some(({ steps }) => steps.some((step) => step.id === template));
  return isRecurring ? template : null;
}

/** Drops later equal occurrences. */
function withoutRepeats(
  steps: NumberedStep<ShownStep>[],
  facts: PlanCardFacts,
): NumberedStep<ShownStep>[] {
  const seen = new Set<string>();
  return steps.filter(({ step }) => {
    const template = templateOf(step.id, facts);
    if (template === null) return true;
    const content = contentOf(step, template);
    const known = seen.has(content);
    seen.add(content);
    return !known;
  });
}

/** Execution order if all fit, else guarded first, then by rank. */
function viewEffects(facts: PlanCardFacts): Section | null {
  const { calls, different, more } = facts.review;
  const numbered = orderByLabel(facts.steps, facts.plan.total_steps);
  const order = new Map(numbered.map((one, index) => [one.step.id, { ...one, index }]));
  const placeOf = ({ step }: ReviewedCall) => order.get(step.id)?.index ?? step.position;
  const all = different <= maxEffects && !more;
  const sorted = all
    ? calls.toSorted((a, b) => placeOf(a) - placeOf(b))
    : calls.toSorted((a, b) => Number(b.step.guarded) - Number(a.step.guarded));
  const shown = sorted.slice(0, maxEffects).map(({ step, times, uneven }) => {
    const { label = step.label, after = '' } = order.get(step.id) ?? {};
    const most = all && different <= few ? maxValueOfFew : undefined;
    const { line, cut } = stepLine({ step, label, after }, facts, most);
    // The heading counts recurring steps.
    const isCounted = times > 1 && templateOf(step.id, facts) === null;
    const often = isCounted ? [countOf(times, 'time')] : [];
    const lost = step.call.destructive ? [markWords.irreversible] : [];
    const note = [...often, ...lost, line.note].filter((text) => text !== '').join(' · ');
    return { line: { ...line, note }, cut: cut || uneven };
  });
  const lines = shown.map(({ line }) => line);
  const section = makeSection('effects', 'What changes', lines, maxEffects, different);
  if (section === null) return null;
  const cut = !all || shown.some((one) => one.cut);
  return { ...section, cut, more: describeHidden(section.hidden, facts) };
}

function describeHidden(hidden: number, { review, plan }: PlanCardFacts): string {
  if (hidden === 0 && !review.more) return '';
  const counted = `${review.more ? 'more than ' : ''}${review.steps.toLocaleString('en-US')}`;
  return `… and ${countOf(hidden, 'more call')}; ${counted} of ${countOf(plan.total_steps, 'step')} change something or send data out`;
}

const writers = new Set(['text_write', 'text_summarize', 'draft_finalise']);

/** Sends text to the model's provider. */
function asksModel({ tool, operation, args }: ShownStep): boolean {
  return writers.has(`${tool}_${operation}`) || hasRuntime(args);
}

const namedSteps = 5;

/** @param asking steps that send text to the model's provider */
function labelReads(only: boolean, asking: string[], host: string | undefined): string {
  if (asking.length === 0) return only ? 'Only reads; nothing is sent out' : 'Reads';
  const steps =
    asking.length > namedSteps
      ? countOf(asking.length, 'step')
      : `${asking.length === 1 ? 'step' : 'steps'} ${listOf(asking)}`;
  const to = host === undefined ? "the model's provider" : showLine(host, 80);
  return `${only ? 'Only reads' : 'Other steps'}. Text goes to ${to} for ${steps}`;
}

function viewSteps(facts: PlanCardFacts): Section | null {
  const { plan, review } = facts;
  const total = plan.total_steps;
  const reads = withoutRepeats(orderByLabel(facts.steps, total), facts).filter(
    ({ step }) => reviewRank(step.call, step.guarded) === 0,
  );
  const lines = reads.map((step) => stepLine(step, facts).line);
  const only = review.steps === 0;
  const hasModel = facts.model_host !== undefined || plan.executor_model !== null;
  const asking = reads.flatMap(({ step, label }) => (hasModel && asksModel(step) ? label : []));
  const label = labelReads(only, asking, facts.model_host);
  const all = review.more ? reads.length : total - review.steps;
  const section = makeSection('steps', label, lines, maxSteps, Math.max(all, lines.length));
  if (section === null || section.hidden === 0 || facts.link === null) return section;
  return { ...section, all: `All ${countOf(total, 'step')}` };
}

const rankWords: Record<number, string> = {
  4: 'guarded',
  3: 'cannot be undone',
  2: 'go outside',
  1: 'change something',
};

/** `12 steps, 10 change something` */
function describePartition({ steps, ranks }: PartitionSummary): string {
  const parts = ranks.flatMap(({ rank, steps: some }) => {
    const words = rankWords[rank];
    return words === undefined ? [] : [`${some.toLocaleString('en-US')} ${words}`];
  });
  return [countOf(steps, 'step'), ...(parts.length === 0 ? ['reads only'] : parts)].join(', ');
}

/** Steps are on the plan's page. */
function viewPartitions({ partitions }: PlanCardFacts): Section | null {
  if (partitions === undefined) return null;
  const { shown, total } = partitions;
  const lines = shown.map((one) => {
    const sample = one.sample === null ? '' : shortenCall(one.sample.call, maxChange).text;
    return plainLine(`${quoteName(one.name, 80)}: ${describePartition(one)}`, { note: sample });
  });
  return makeSection('partitions', countOf(total, 'part'), lines, lines.length, total);
}

function viewTerms({ terms }: PlanCardFacts): Section | null {
  const lines = terms.map((term) => plainLine(showLine(term, maxTerm)));
  const section = makeSection('terms', 'Also part of this approval', lines, maxTerms);
  return section === null ? null : { ...section, cut: section.hidden > 0 };
}

/** The tightest deadline, and the step that decides the end. */
function viewDeadline(facts: PlanCardFacts): Section | null {
  const { deadline } = facts;
  if (deadline === undefined) return null;
  const { at, ends_at, label, decides } = deadline;
  const isAhead = ends_at > facts.now;
  const end = isAhead ? ends_at : facts.now;
  const spare = Math.floor((Date.parse(at) - Date.parse(end)) / 60_000);
  const left = spare > 0 ? `${sayLength(spare)} to spare` : 'nothing to spare';
  const { earliest_end } = facts.scheduled ?? {};
  const bound =
    earliest_end === undefined
      ? ''
      : `; no order ends earlier than ${tellTime(earliest_end, facts)}`;
  const cause = decides === null ? '' : `; step ${decides} decides when the plan ends`;
  const ends = isAhead ? `ends ${tellTime(ends_at, facts)}, ` : 'is ';
  const text = `Step ${label} ${ends}due ${tellLimit(at, facts)}: ${left}${cause}${bound}`;
  return makeSection('times', 'Deadline', [plainLine(showLine(text, 400), { lead: '◷' })], 1);
}

export const hasDates = ({ steps, scheduled }: PlanCardFacts): boolean =>
  scheduled !== null || steps.some(({ not_before }) => not_before !== null);

/** The console checks access. */
export function viewCalendar(facts: PlanCardFacts): Section | null {
  const { plan, link } = facts;
  if (link === null || !hasDates(facts)) return null;
  const { href: url } = new URL(`api/plans/${encodeURIComponent(plan.id)}/schedule.ics`, link);
  const line = plainLine('Add the dates to your calendar', { lead: '◷', url });
  return makeSection('calendar', 'Calendar', [line], 1);
}

function viewOrders({ orders }: PlanCardFacts): Section | null {
  if (orders === undefined) return null;
  const { chosen, reason, options_tried: options } = orders;
  const others = options.flatMap(({ name }) =>
    name === chosen ? [] : quoteName(nameWay(name), 60),
  );
  const note = `compared with ${listOf(others)}`;
  const text = showLine(`${capitalise(quoteName(nameWay(chosen), 60))}: ${reason}`, 300);
  return makeSection('options', 'Order', [plainLine(text, { lead: '⇅', note })], 1);
}

function viewConflicts({ conflicts }: PlanCardFacts): Section | null {
  const lines = conflicts.map((text) => plainLine(showLine(text, maxConflict), { lead: '△' }));
  return makeSection('conflicts', 'Conflicts with other plans', lines, maxConflicts);
}

const nearlyFull = 0.8;

/** The fullest; details list all. */
function viewLoad({ weeks = [] }: PlanCardFacts): Section | null {
  const lines = weeks.flatMap((week) =>
    week.share < nearlyFull ? [] : [plainLine(tellBooked(week), { lead: '◷' })],
  );
  return makeSection('options', 'Working time', lines, maxConflicts);
}

/** Since the previous version. */
function viewChanges({ diff, now, viewer }: PlanCardFacts): Section | null {
  if (diff === null) return null;
  const nameOf = ({ call }: ComparedStep) => shortenCall(call, maxChange).text;
  const steps = [
    ...diff.changed.map((step) => {
      const fields = summariseFields(step, now, viewer.timezone);
      const name = cutShown(headlineOf(step.call), maxChange);
      return plainLine(fields === '' ? name : `${name}: ${fields}`, {
        lead: '~',
      });
    }),
    ...diff.added.map((step) => plainLine(nameOf(step), { lead: '+' })),
    ...diff.removed.map((step) => plainLine(nameOf(step), { lead: '−' })),
  ];
  const others = describeOthers(diff, now, viewer.timezone, viewer.user === '').join(' · ');
  const last = others === '' ? [] : [plainLine(others)];
  const shown = steps.slice(0, maxChanges - last.length);
  const { added, removed, changed } = diff.counts;
  const label = `Changed since version ${diff.from}`;
  const lines = [...shown, ...last];
  if (lines.length === 0) lines.push(plainLine('The steps are the same'));
  const hidden = added + removed + changed - shown.length;
  return makeSection('changes', label, lines, lines.length, lines.length + hidden);
}

function viewRisks({ plan }: PlanCardFacts): Section | null {
  const lines = plan.risks.map(({ text, sign }) =>
    plainLine(quoteWords(text, 220), { quotes: quote('Watch for', sign, 160) }),
  );
  return makeSection('risks', 'Risks and assumptions', lines, maxRisks);
}

export function viewHistory(facts: PlanCardFacts): Section | null {
  const lines = facts.plan.rejection_history.map(({ version, by, feedback }) =>
    plainLine(
      feedback === null
        ? `${showPerson(facts, by, 60)} rejected it without a reason`
        : `${showPerson(facts, by, 60)}: ${quoteWords(feedback, 300)}`,
      { lead: `v${version}` },
    ),
  );
  return makeSection('history', 'Earlier feedback', lines, 3);
}

export function viewProposal(facts: PlanCardFacts): Section[] {
  const sections = [
    viewChanges(facts),
    viewPartitions(facts),
    viewEffects(facts),
    viewSteps(facts),
    viewTerms(facts),
    viewDeadline(facts),
    viewCalendar(facts),
    viewOrders(facts),
    viewConflicts(facts),
    viewLoad(facts),
    viewBlocked(facts, false),
    viewFindings(facts),
    viewRisks(facts),
  ];
  return sections.filter((section) => section !== null);
}

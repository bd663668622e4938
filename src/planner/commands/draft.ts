// Puts steps down as a plan: a draft where they are a plain list, an outline where there is more to it, such as parts,
// deadlines and work that comes again.
import type { PlanDraft, StepDraft } from '#domain/plan/plan.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { JsonValue } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { shorten, trimTail } from '#domain/words.ts';
import { nextOccurrences } from '#timeline/recurrence.ts';
import type { WrittenOutline } from '../outline/written-outline.ts';
import { printMoment } from '../schedule/time-words.ts';
import type { RiskNote } from './build.ts';
import type { Clause, Request } from './command.ts';
import {
  type Described,
  describeOutcome,
  describeStep,
  describeTitle,
  describeWait,
} from './describe.ts';
import type { Step } from './step.ts';

const risksAtMost = 3;

export type WrittenNode = WrittenOutline['nodes'][number];
export type Drafted = { request: Request; steps: Step[]; cautions: RiskNote[] };

/** Whether a plain list of steps says all of it. */
export function needsOutline({ clauses, parts, deadline, outline }: Request): boolean {
  const more = ({ lag, takes, deadline: by, rule, command }: Clause) =>
    lag !== null || takes !== null || by !== null || (rule !== null && command.do !== 'remind');
  return parts.length > 0 || deadline !== null || outline || clauses.some(more);
}

/** What a plan of these steps says of itself. */
export function describeDraft(
  { steps, cautions }: Drafted,
  timezone: string,
): Pick<PlanDraft, 'title' | 'summary' | 'risks'> {
  const risks = cautions.slice(0, risksAtMost);
  const title = describeTitle(steps, timezone);
  const when = describeStart(steps, timezone);
  return {
    title: when === '' ? title : `${trimTail(title, /[.?!]/)}, ${when}`,
    summary: `${when === '' ? '' : `Not before ${when.replace(/^on /, '')}: `}${describeOutcome(steps, timezone)}`,
    ...(risks.length === 0 ? {} : { risks }),
  };
}

export function draftSteps(steps: Step[], timezone: string): StepDraft[] {
  return steps.map((step) => ({
    id: step.id,
    description: describeStep(step, timezone, steps) + describeWait(step.start, timezone),
    tool: step.spec.tool,
    operation: step.spec.operation,
    args: step.args,
    ...(step.after.size === 0 ? {} : { after: [...step.after] }),
    ...(step.start === null ? {} : { not_before: step.start }),
    ...(step.when.length === 0 ? {} : { when: step.when }),
  }));
}

/** More steps of one kind than this are one group. */
const groupedFrom = 500;

/** Many calls of one operation as a group, as `for_each` takes it; null: they are few, or not of one kind. */
export function groupSteps(steps: Step[], timezone: string): object | null {
  const [first] = steps;
  if (first === undefined || steps.length < groupedFrom) return null;
  const names = Object.keys(first.args).join(' ');
  const isAlike = ({ spec, args, after, start, when }: Step) =>
    spec === first.spec &&
    Object.keys(args).join(' ') === names &&
    Object.values(args).every((value) => typeof value !== 'object') &&
    after.size === 0 &&
    start === null &&
    when.length === 0;
  if (!steps.every(isAlike)) return null;
  const template = Object.keys(first.args).map((name) => [name, `{{item/args/${name}}}`]);
  return {
    id: 'files',
    title: describeTitle(steps, timezone),
    list: '',
    items: steps.map((step) => ({ says: describeStep(step, timezone, []), args: step.args })),
    step: {
      description: '{{item/says}}',
      operation: first.spec.name,
      args: Object.fromEntries(template),
    },
  };
}

/** "on 2026-03-05 at 09:00" when the whole plan waits for one moment; '' when it does not. */
function describeStart(steps: Step[], timezone: string): string {
  const starts = new Set(steps.map((step) => step.start));
  const [start] = starts;
  if (starts.size !== 1 || start === null || start === undefined) return '';
  return `on ${printMoment(start, timezone).replace(' ', ' at ')}`;
}

export function emptyNode(
  node: Pick<WrittenNode, 'id' | 'parent' | 'title' | 'structure'>,
): WrittenNode {
  return {
    rhythm: 'one_off',
    after: [],
    duration_minutes: null,
    not_before: null,
    deadline: null,
    recurs: null,
    target: null,
    steps: [],
    ...node,
  };
}

/** "Every two weeks on Monday" begins on the next Monday, not in the week of today. */
function startOf(rrule: string, now: Date, timezone: string): Date {
  const each = rrule.replace(/^(FREQ=WEEKLY);INTERVAL=\d+;BYDAY/, '$1;BYDAY');
  if (each === rrule) return now;
  return nextOccurrences({ rrule: each, timezone, startsAt: now }, now, 1)[0] ?? now;
}

const isPerson = (spec: OperationSpec) => spec.human === true;

export function writeOutline(
  { request, steps, cautions }: Drafted,
  now: Date,
  timezone: string,
): WrittenOutline {
  const { clauses, parts } = request;
  const title = shorten(request.title ?? describeTitle(steps, timezone), 300);
  const goal = {
    ...emptyNode({ id: 'goal', parent: null, title, structure: 'goal' as const }),
    deadline: request.deadline,
  };
  const byClause = Map.groupBy(steps, ({ clause }) => clause);
  const phaseOf = (index: number | null) => (index === null ? 'goal' : `part-${index + 1}`);
  const owners = new Map<string, string>();
  for (const own of byClause.values())
    for (const step of own) owners.set(step.id, own.length === 1 ? step.id : `task-${own[0]?.id}`);
  const recurring = new Set(
    clauses.flatMap(({ rule, command }, index) =>
      rule === null || command.do === 'remind'
        ? []
        : (byClause.get(index) ?? []).map(({ id }) => owners.get(id) ?? ''),
    ),
  );
  const tasks = clauses.flatMap((clause, index): { node: WrittenNode; part: number | null }[] => {
    const own = byClause.get(index) ?? [];
    const [first] = own;
    if (first === undefined) return [];
    const id = owners.get(first.id) ?? first.id;
    const beside = new Set(own.map((step) => step.id));
    const outside = [
      ...new Set(
        own
          .flatMap(({ after }) => [...after])
          .filter((one) => !beside.has(one))
          .map((one) => owners.get(one) ?? one),
      ),
    ];
    const before = clauses.slice(0, index).findLastIndex((_, k) => byClause.has(k));
    const previous = clause.lag === null ? undefined : byClause.get(before)?.[0];
    const lagged = previous === undefined ? undefined : owners.get(previous.id);
    const takes =
      clause.takes === null
        ? null
        : (own.some(({ spec }) => isPerson(spec))
            ? clause.takes.workSeconds
            : clause.takes.seconds) / 60;
    const isAgain = recurring.has(id);
    const edges = [
      ...outside.filter((one) => one !== lagged),
      ...(lagged === undefined
        ? []
        : [{ id: lagged, type: 'FS' as const, lag_minutes: clause.lag ?? 0 }]),
    ];
    const node: WrittenNode = {
      ...emptyNode({ id, parent: phaseOf(clause.part), title: '', structure: 'task' }),
      title: shorten(
        own.length === 1
          ? describeStep(first, timezone, steps)
          : clause.words.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
        300,
      ),
      not_before: first.start,
      // Nothing waits for what comes again by a rule of its own.
      after: isAgain
        ? []
        : edges.filter((edge) => !recurring.has(typeof edge === 'string' ? edge : edge.id)),
      duration_minutes: takes,
      deadline: clause.deadline,
      ...(isAgain && clause.rule !== null
        ? {
            rhythm: 'recurring' as const,
            recurs: {
              rrule: clause.rule.rrule,
              starts_at: startOf(clause.rule.rrule, now, timezone).toISOString(),
              timezone,
              until: clause.rule.until,
            },
          }
        : {}),
      steps: own.map((step) =>
        writeStep(
          step,
          [...step.after].filter((one) => beside.has(one)),
          timezone,
          steps,
        ),
      ),
    };
    return [{ node, part: clause.part }];
  });
  const wholes = parts.flatMap((part, index): WrittenNode[] => {
    const phase = part.structure === 'phase';
    const before = parts.findLastIndex((other, k) => k < index && other.structure === 'phase');
    const after =
      part.after !== null
        ? [{ id: phaseOf(part.after.part), type: 'FS' as const, lag_minutes: part.after.lag }]
        : phase && before >= 0
          ? [phaseOf(before)]
          : [];
    const node = emptyNode({
      id: phaseOf(index),
      parent: phase || before < 0 ? 'goal' : phaseOf(before),
      title: part.title,
      structure: part.structure,
    });
    return [
      { ...node, after },
      ...tasks.filter(({ part: own }) => own === index).map(({ node: task }) => task),
    ];
  });
  return {
    title,
    summary: shorten(describeOutcome(steps, timezone), 1000),
    nodes: [goal, ...tasks.filter(({ part }) => part === null).map(({ node }) => node), ...wholes],
    risks: cautions.slice(0, risksAtMost).map(({ text, sign }) => ({ text, sign: sign ?? null })),
    assumptions: [],
    confidence: 0.9,
  };
}

export function writeStep(
  step: Pick<Step, 'id' | 'spec' | 'args' | 'start' | 'when'>,
  after: string[],
  timezone: string,
  all: Described[],
): WrittenNode['steps'][number] {
  return {
    id: step.id,
    description: describeStep(step, timezone, all) + describeWait(step.start, timezone),
    operation: step.spec.name,
    args: writeTemplates(step.args),
    after,
    when: JsonValue.parse(step.when),
  };
}

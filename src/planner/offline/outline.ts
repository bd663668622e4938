// Writes command steps as an outline.
import { type Dependency, fromDependency, toDependency } from '#domain/plan/dependency.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { type Json, JsonValue, mapTexts, textsIn } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { beginAfter } from '#timeline/recurrence.ts';
import type { Request } from '../commands/request.ts';
import { columnPattern } from '../commands/tokens.ts';
import type { WrittenOutline } from '../outline/written-outline.ts';
import { printMoment } from '../schedule/time-words.ts';
import { describeOutcome, describeStep, describeTitle, type Step } from './describe.ts';
import { readWait } from './order-steps.ts';

export type WrittenNode = WrittenOutline['nodes'][number];

const emptyNode = {
  rhythm: 'one_off',
  after: [],
  duration_minutes: null,
  not_before: null,
  deadline: null,
  recurs: null,
  target: null,
  steps: [],
} satisfies Partial<WrittenNode>;

export const describeWait = (start: string | null, timezone: string): string =>
  start === null ? '' : ` (not before ${printMoment(start, timezone).replace(' ', ' at ')})`;

/** "Every 2 weeks on Monday" begins next Monday, not this week. */
export function startOf(rrule: string, now: Date, timezone: string): Date {
  const each = rrule.replace(/^(FREQ=WEEKLY);INTERVAL=\d+;BYDAY/, '$1;BYDAY');
  return beginAfter({ rrule: each, timezone }, now);
}

export const writeEdges = (after: Dependency[]): WrittenNode['after'] => after.map(fromDependency);

export function writeOutline(
  { parts, ...request }: Request,
  steps: Step[],
  now: Date,
  timezone: string,
): WrittenOutline {
  const title = shorten(request.title ?? describeTitle(steps, timezone), 300);
  const node = (
    own: Pick<WrittenNode, 'id' | 'parent' | 'title' | 'structure'> & Partial<WrittenNode>,
  ) => ({ ...emptyNode, ...own });
  const phaseId = (index: number | null) =>
    index === null || index < 0 ? 'goal' : `part-${index + 1}`;
  const tasks = steps.map((step): { part: number | null; node: WrittenNode } => ({
    part: step.command.part,
    node: node({
      id: step.id,
      parent: phaseId(step.command.part),
      title: describeStep(step, timezone),
      structure: 'task',
      after: writeEdges(step.after),
      duration_minutes: step.takes,
      not_before: step.start,
      deadline: step.deadline,
      ...(step.recurs === null
        ? {}
        : {
            rhythm: 'recurring',
            recurs: {
              rrule: step.recurs.rrule,
              starts_at: startOf(step.recurs.rrule, now, step.recurs.timezone).toISOString(),
              timezone: step.recurs.timezone,
              until: step.recurs.until,
            },
          }),
      steps: [writeStep(step, timezone)],
    }),
  }));
  const loose = steps.filter(({ command }) => command.part === null);
  const waitedFor = new Set(loose.flatMap(({ after }) => after.map(({ id }) => id)));
  const isWithin = (index: number) =>
    tasks.filter(({ part }) => part === index).map((task) => task.node);
  const wholes = parts.flatMap(({ structure, title: name, lag }, index): WrittenNode[] => {
    const before = parts.findLastIndex((other, k) => k < index && other.structure === 'phase');
    if (structure === 'milestone')
      return [node({ id: phaseId(index), parent: phaseId(before), title: name, structure })];
    const lag_minutes = readWait(lag);
    const waitsFor =
      before < 0 ? loose.filter(({ id }) => !waitedFor.has(id)) : [{ id: phaseId(before) }];
    const after = writeEdges(waitsFor.map(({ id }) => ({ ...toDependency(id), lag_minutes })));
    return [
      node({ id: phaseId(index), parent: 'goal', title: name, structure, after }),
      ...isWithin(index),
    ];
  });
  return {
    title,
    summary: describeOutcome(steps, timezone),
    nodes: [
      node({ id: 'goal', parent: null, title, structure: 'goal' }),
      ...tasks.filter(({ part }) => part === null).map((task) => task.node),
      ...wholes,
    ],
    risks: [],
    assumptions: [],
    confidence: 0.9,
  };
}

export function writeStep(
  step: Pick<Step, 'id' | 'spec' | 'args' | 'start' | 'when'>,
  timezone: string,
): WrittenNode['steps'][number] {
  return {
    id: step.id,
    description: describeStep(step, timezone) + describeWait(step.start, timezone),
    operation: step.spec.name,
    args: writeTemplates(step.args),
    when: JsonValue.parse(step.when),
  };
}

export const columnsIn = (value: Json): string[] =>
  textsIn(value).flatMap((text) => [...text.matchAll(columnPattern)].map(([, name = '']) => name));

const literal = (text: string) => String(writeTemplates({ text }).text);

/** @param columnOf `<name>` to the item's own name */
export function toTemplate(value: Json, columnOf: (name: string) => string): Json {
  return mapTexts(value, (text) => {
    let from = 0;
    let template = '';
    for (const found of text.matchAll(columnPattern)) {
      const name = columnOf(found[1] ?? '')
        .replaceAll('~', '~0')
        .replaceAll('/', '~1');
      template += `${literal(text.slice(from, found.index))}{{item/${name}}}`;
      from = found.index + found[0].length;
    }
    return template + literal(text.slice(from));
  });
}

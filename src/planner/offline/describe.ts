// Describes steps from operations and arguments alone.
import type { StepCondition } from '#domain/plan/condition.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { capitalise, countOf, listOf, onOneLine, shorten, trimTail } from '#domain/words.ts';
import { formatMoment } from '#timeline/recurrence.ts';
import { describeRecurrence } from '#timeline/repetition.ts';
import type { Question } from '../commands/answers.ts';
import { forms } from '../commands/forms.ts';
import type { Command } from '../commands/request.ts';

export type Setting = {
  manifest: readonly OperationSpec[];
  now: Date;
  timezone: string;
  answers: ReadonlyMap<string, string>;
};

export type Rule = { rrule: string; until: string | null; timezone: string };

export type Step = {
  id: string;
  spec: OperationSpec;
  args: JsonObject;
  after: Dependency[];
  when: StepCondition[];
  start: string | null;
  takes: string | null;
  deadline: string | null;
  recurs: Rule | null;
  command: Command;
};

export type Built =
  | { kind: 'steps'; steps: Step[] }
  | { kind: 'questions'; questions: Question[] }
  | { kind: 'missing'; text: string; wanted: string }
  | { kind: 'refused'; text: string };

const cleanPath = (path: string) => trimTail(path.replace(/^\.\//, ''), /\//);

export function filesOf({ command: { form }, args, spec }: Step): {
  changes: string[];
  reads: string[];
} {
  const paths = (names: readonly string[]) =>
    names.flatMap((name) => (typeof args[name] === 'string' ? [cleanPath(args[name])] : []));
  if (form.operation === null) {
    const all = paths(['path', 'from', 'to', 'source', 'destination', 'file']);
    return spec.effect === 'read' ? { changes: [], reads: all } : { changes: all, reads: [] };
  }
  const { changes = [] } = form;
  return {
    changes: paths(changes),
    reads: paths(['path', 'from'].filter((name) => !changes.includes(name))),
  };
}

export type Described = {
  spec: Pick<OperationSpec, 'name' | 'tool' | 'operation' | 'source'>;
  args: JsonObject;
  when?: StepCondition[];
};

/** Verb first, neutral about existing files: "Write notes/standup.md". */
export function describeStep({ spec, args }: Described, timezone: string): string {
  const name = spec.name === 'human_confirm' ? 'human_task' : spec.name;
  const form = forms.find(
    ({ operation, fixed = {} }) =>
      operation === name && Object.entries(fixed).every(([key, value]) => args[key] === value),
  );
  const plain = form ?? forms.find(({ operation }) => operation === name);
  if (plain?.describe !== undefined)
    return shorten(plain.describe(args) + describeTime(args, timezone), 300);
  const tool = spec.source === 'mcp' ? `the ${spec.tool} server` : `the ${spec.tool}`;
  const values = Object.values(args)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .slice(0, 3)
    .map((value) => (typeof value === 'string' ? `"${onOneLine(value, 40)}"` : value));
  const what = spec.operation.replaceAll(/[_-]/g, ' ');
  return `Use ${tool} to ${what}${values.length > 0 ? `: ${values.join(', ')}` : ''}`;
}

function describeTime({ rrule, at, start }: JsonObject, timezone: string): string {
  if (typeof rrule === 'string')
    return ` ${describeRecurrence({ rrule, timezone, startsAt: new Date(0) })}`;
  const moment = at ?? start;
  return typeof moment === 'string' ? ` on ${formatMoment(new Date(moment), timezone)}` : '';
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const third: Record<string, string> = {
  Copy: 'copies',
  Delete: 'permanently deletes',
  Fetch: 'fetches',
};
const conditionOf = ({ when = [] }: Described): string => {
  const [only] = when;
  return only === undefined ? '' : ` if the answer is ${String(only.value)}`;
};

/** Groups by verb: "Write a.txt and b.txt, and move c.txt to d/". */
function joinPhrases(phrases: string[]): string[] {
  const groups: { verb: string; objects: string[] }[] = [];
  for (const phrase of phrases) {
    const [verb = '', ...rest] = phrase.split(' ');
    const last = groups.at(-1);
    if (last?.verb === verb) last.objects.push(rest.join(' '));
    else groups.push({ verb, objects: [rest.join(' ')] });
  }
  return groups.map(({ verb, objects }) => `${verb} ${listOf(objects)}`);
}

export function describeTitle(steps: Described[], timezone: string): string {
  const phrases = steps.map((step) => describeStep(step, timezone) + conditionOf(step));
  const joined = joinPhrases(phrases);
  const title = listOf(joined.map((one, at) => (at === 0 ? one : lower(one))));
  if (joined.length <= 3 && title.length <= 80) return title;
  const more = phrases.length === 1 ? '' : ` and ${countOf(phrases.length - 1, 'more step')}`;
  return `${shorten(phrases[0] ?? '', 80 - more.length)}${more}`;
}

const maxPhrases = 6;

export function describeOutcome(steps: Described[], timezone: string): string {
  const phrases = steps.slice(0, maxPhrases).map((step) => {
    const [verb = '', ...rest] = describeStep(step, timezone).split(' ');
    const { content } = step.args;
    const detail =
      step.spec.name === 'workspace_write' && typeof content === 'string'
        ? ` containing "${onOneLine(content, 60)}"`
        : '';
    return `${third[verb] ?? `${verb.toLowerCase()}s`} ${rest.join(' ')}${detail}${conditionOf(step)}`;
  });
  const rest = steps.length - phrases.length;
  if (rest > 0) phrases.push(`does ${countOf(rest, 'more thing')}`);
  const words = listOf(joinPhrases(phrases));
  return shorten(`${capitalise(words)}.`, 1000);
}

// Puts steps into words: what each does, and what the plan comes to. Everything is said from operations and arguments alone,
// so that it stays true after a change.
import { isReference, referencesOf } from '#domain/plan/arguments.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { countOf, listOf, onOneLine, shorten } from '#domain/words.ts';
import { describeRecurrence, formatMoment } from '#timeline/recurrence.ts';
import { printMoment } from '../schedule/time-words.ts';
import { familyOf } from './families.ts';
import { findField, nameTool, type Role, readFields, splitName } from './schema-fields.ts';

export type Described = {
  id?: string;
  spec: OperationSpec;
  args: JsonObject;
  when?: StepCondition[];
};

/** "Create", "creates" and "a.txt"; `detail` is said of the plan, not of the step. */
type Phrase = { verb: string; object: string; detail?: string };

const irregular: Record<string, string> = {
  Copy: 'copies',
  Delete: 'permanently deletes',
  Do: 'does',
  Fetch: 'fetches',
};
const thirdOf = (verb: string): string => irregular[verb] ?? `${verb.toLowerCase()}s`;

/** An argument by its role, as words; '' when it is missing or none that can be said. */
function say({ spec, args }: Described, role: Role): string {
  const field = findField(readFields(spec.input), role);
  const value = field && args[field.name];
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

const quote = (text: string, most = 60) => `"${onOneLine(text, most)}"`;

/** Where a step takes an argument from: the file that another of `all` reads, or that one's result; null: from no other step. */
function findSource(
  step: Described,
  role: Role,
  all: Described[],
): { file: boolean; words: string } | null {
  const field = findField(readFields(step.spec.input), role);
  const value = field && step.args[field.name];
  if (!isReference(value)) return null;
  const source = all.find((one) => one.id === value.$from);
  const family = source === undefined ? null : familyOf(source.spec);
  if (source !== undefined && family === 'read') return { file: true, words: say(source, 'path') };
  return source !== undefined && family === 'fetch'
    ? { file: false, words: `the content of ${say(source, 'url')}` }
    : { file: false, words: `the result of step ${value.$from}` };
}

function phraseOf(step: Described, timezone: string, all: Described[]): Phrase {
  const { spec, args } = step;
  const path = say(step, 'path');
  const both = `${say(step, 'from')} to ${say(step, 'to')}`;
  const family = familyOf(spec);
  switch (family) {
    case 'write': {
      const source = findSource(step, 'content', all);
      if (source?.file === true) return { verb: 'Copy', object: `${source.words} to ${path}` };
      if (source !== null) return { verb: 'Create', object: `${path} from ${source.words}` };
      const text = say(step, 'content');
      const detail = text === '' ? ', empty' : ` containing ${quote(text)}`;
      return { verb: 'Create', object: path, detail };
    }
    case 'move':
    case 'copy':
      return { verb: family === 'move' ? 'Move' : 'Copy', object: both };
    case 'delete':
      return {
        verb: 'Delete',
        object: `${path}${args.recursive === true ? ' and everything in it' : ''}`,
      };
    case 'make_folder':
      return { verb: 'Create', object: `the folder ${path}` };
    case 'list': {
      const root = spec.source === 'mcp' ? `the files of ${spec.tool}` : 'the workspace';
      return { verb: 'List', object: path === '' || path === '.' ? root : path };
    }
    case 'read':
      return { verb: 'Read', object: path };
    case 'fetch':
      return { verb: 'Fetch', object: say(step, 'url') };
    case 'request':
      return { verb: 'Send', object: `a ${say(step, 'method')} request to ${say(step, 'url')}` };
    case 'post': {
      const text = findSource(step, 'text', all)?.words ?? quote(say(step, 'text'));
      const place = say(step, 'conversation');
      return { verb: 'Post', object: `${text}${place === '' ? '' : ` in ${place}`}` };
    }
    case 'ask':
      return {
        verb: 'Ask',
        object: `${say(step, 'assignee') || 'you'} ${quote(say(step, 'question'), 120)}`,
      };
    case 'remind':
      return {
        verb: 'Remind',
        object: `you ${describeTime(step, timezone)} of ${quote(say(step, 'text'), 120)}`,
      };
    case 'calendar_read':
      return { verb: 'Read', object: 'the calendar' };
    case 'calendar_add':
      return {
        verb: 'Add',
        object: `${quote(say(step, 'title'))} to the calendar ${describeTime(step, timezone)}`,
      };
    case 'wait':
      return { verb: 'Wait', object: sayDuration(Number(say(step, 'seconds'))) };
    case 'nothing':
      return { verb: 'Do', object: 'nothing' };
    case null: {
      const edited = phraseOfEdit(spec.name, args);
      if (edited !== null) return edited;
      const details = Object.values(args)
        .flat()
        .filter((value) => typeof value === 'string' || typeof value === 'number')
        .slice(0, 3)
        .map((value) => (typeof value === 'string' ? quote(value, 40) : value));
      const what = splitName(spec.operation).join(' ');
      const more = details.length > 0 ? `: ${details.join(', ')}` : '';
      return { verb: 'Use', object: `${nameTool(spec)} to ${what}${more}` };
    }
    default:
      return family satisfies never;
  }
}

function phraseOfEdit(name: string, { path, action, find, text }: JsonObject): Phrase | null {
  const texts = { path, action, text, find: find ?? '' };
  if (name !== 'workspace_edit' || Object.values(texts).some((one) => typeof one !== 'string'))
    return null;
  if (action !== 'replace') return { verb: 'Add', object: `${quote(String(text))} to ${path}` };
  return {
    verb: 'Replace',
    object: `${quote(String(find))} with ${quote(String(text))} in ${path}`,
  };
}

/** Verb first: "Create notes/standup.md". @param all the steps that it may take something from */
export function describeStep(step: Described, timezone: string, all: Described[]): string {
  const { verb, object } = phraseOf(step, timezone, all);
  return `${verb} ${object}`;
}

/** " (not before 2026-03-05 at 09:00)" */
export function describeWait(start: string | null, timezone: string): string {
  return start === null ? '' : ` (not before ${printMoment(start, timezone).replace(' ', ' at ')})`;
}

/** "5 minutes", "90 seconds". */
function sayDuration(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return countOf(seconds / 3600, 'hour');
  return seconds > 0 && seconds % 60 === 0
    ? countOf(seconds / 60, 'minute')
    : countOf(seconds, 'second');
}

/** "every weekday at 09:30", "on Thu, 5 Mar 2026, 09:00 to 10:00". */
function describeTime(step: Described, timezone: string): string {
  const [rrule, at, end] = [say(step, 'rrule'), say(step, 'at'), say(step, 'end')];
  const startsAt = new Date(at === '' ? 0 : at);
  if (rrule !== '') return describeRecurrence({ rrule, timezone, startsAt });
  // A day alone, or a time without a zone, is said as it stands.
  const moment = (iso: string) =>
    iso.includes('T') && /(?:[zZ]|[+-]\d\d:\d\d)$/.test(iso)
      ? formatMoment(new Date(iso), timezone)
      : iso;
  const [first, last] = [moment(at), moment(end)];
  const [day] = /^.*, /.exec(first) ?? [''];
  return `on ${first}${end === '' ? '' : ` to ${last.replace(day, '')}`}`;
}

/** What may not happen is not said to happen. */
function withCondition(phrase: Phrase, { when = [] }: Described): Phrase {
  if (when.length === 0) return phrase;
  const [only] = when;
  const isYes = when.length === 1 && only?.is === 'equals' && only.value === 'Yes';
  const object = `${phrase.object} if ${isYes ? 'the answer is Yes' : 'its condition holds'}`;
  return { ...phrase, object };
}

/** What a plan is about: folders are made, and files read, for the sake of other steps. Those of one verb stand together. */
function groupPhrases(steps: Described[], timezone: string): Phrase[][] {
  const used = new Set(steps.flatMap(({ args }) => referencesOf(args).map(({ $from }) => $from)));
  const paths = steps.flatMap((one) => [say(one, 'path'), say(one, 'from'), say(one, 'to')]);
  const main = steps.filter((step) => {
    const family = familyOf(step.spec);
    const isSource = used.has(step.id ?? '') && (family === 'read' || family === 'fetch');
    if (family !== 'make_folder') return !isSource;
    const folder = `${say(step, 'path')}/`;
    return !paths.some((path) => path.startsWith(folder));
  });
  const groups: Phrase[][] = [];
  for (const step of main.length > 0 ? main : steps) {
    const phrase = withCondition(phraseOf(step, timezone, steps), step);
    const last = groups.at(-1);
    if (last?.[0]?.verb === phrase.verb) last.push(phrase);
    else groups.push([phrase]);
  }
  return groups;
}

const ofFiles = /^(?:Create|Rewrite|Move|Copy|Delete|Read)$/;
const nounFor = ({ verb }: Phrase) => (ofFiles.test(verb) ? 'file' : 'time');

export function describeOutcome(steps: Described[], timezone: string): string {
  const groups = groupPhrases(steps, timezone);
  const parts = groups.slice(0, 4).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const objects = group.map(({ object, detail = '' }) => object + detail);
    if (group.length <= 3) return [`${thirdOf(first.verb)} ${listOf(objects)}`];
    const shown = group.slice(0, 4).map(({ object }) => object);
    const more = group.length > 4 ? [`${group.length - 4} more`] : [];
    const count = countOf(group.length, nounFor(first));
    return [`${thirdOf(first.verb)} ${count}: ${listOf([...shown, ...more])}`];
  });
  const rest = groups.slice(4).flat().length;
  if (rest > 0) parts.push(`does ${countOf(rest, 'more thing')}`);
  // Phrases need the comma before "and".
  const words =
    parts.length < 3 ? listOf(parts) : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
  return shorten(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`, 1000);
}

export function describeTitle(steps: Described[], timezone: string): string {
  const groups = groupPhrases(steps, timezone);
  const phrases = (each: number) =>
    groups.flatMap((group, index) => {
      const [first] = group;
      if (first === undefined) return [];
      const verb = index === 0 ? first.verb : first.verb.toLowerCase();
      const objects = listOf(group.map(({ object }) => object));
      return [`${verb} ${group.length > each ? countOf(group.length, nounFor(first)) : objects}`];
    });
  for (const each of [3, 1]) {
    const title = listOf(phrases(each));
    if (groups.length <= 3 && title.length <= 80) return title;
  }
  const rest = groups.slice(1).flat().length;
  const more = rest === 0 ? '' : ` and ${countOf(rest, 'more step')}`;
  return `${shorten(phrases(3)[0] ?? '', 80 - more.length)}${more}`;
}

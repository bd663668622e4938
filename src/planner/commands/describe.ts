// Puts steps into words: what each does, and what the plan comes to.
// Everything is said from operations and arguments alone, so that it stays true after a change.
import { isReference, referencesOf } from '#domain/plan/arguments.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { listOf } from '#domain/words.ts';
import { printMoment } from '../schedule/time-words.ts';
import { familyOf } from './families.ts';
import { findField, nameTool, type Role, readFields, splitName } from './schema-fields.ts';

export type Described = { id?: string; spec: OperationSpec; args: JsonObject };

/** An argument by its role, as words; '' when it is missing. */
function say(step: Described, role: Role): string {
  const field = findField(readFields(step.spec.input), role);
  const value: Json | undefined = field && step.args[field.name];
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? '' : String(value);
}

/** The step whose output an argument is taken from; null when it is not. */
function sayReference(step: Described, role: Role): string | null {
  const field = findField(readFields(step.spec.input), role);
  const value = field && step.args[field.name];
  return isReference(value) ? value.$from : null;
}

function quoteShort(text: string, length = 60): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `"${line.length <= length ? line : `${line.slice(0, length - 1)}…`}"`;
}

/** Where a step takes an argument from: the file that another of `all` reads, or that one's result; null: from no other step. */
function findSource(
  step: Described,
  role: Role,
  all: Described[],
): { file: boolean; words: string } | null {
  const id = sayReference(step, role);
  if (id === null) return null;
  const source = all.find((one) => one.id === id);
  return source !== undefined && familyOf(source.spec) === 'read'
    ? { file: true, words: say(source, 'path') }
    : { file: false, words: `the result of step ${id}` };
}

/** Verb first: "Create notes/standup.md". @param all the steps that it may take something from */
export function describeStep(step: Described, timezone: string, all: Described[]): string {
  const path = say(step, 'path');
  switch (familyOf(step.spec)) {
    case 'write': {
      const source = findSource(step, 'content', all);
      if (source === null) return `${step.args.overwrite === true ? 'Rewrite' : 'Create'} ${path}`;
      return source.file
        ? `Copy ${source.words} to ${path}`
        : `Create ${path} from ${source.words}`;
    }
    case 'move':
      return `Move ${say(step, 'from')} to ${say(step, 'to')}`;
    case 'copy':
      return `Copy ${say(step, 'from')} to ${say(step, 'to')}`;
    case 'delete':
      return `Delete ${path}${step.args.recursive === true ? ' and everything in it' : ''}`;
    case 'make_folder':
      return `Create the folder ${path}`;
    case 'list':
      return `List ${namePlace(step, path)}`;
    case 'read':
      return `Read ${path}`;
    case 'fetch':
      return `Fetch ${say(step, 'url')}`;
    case 'request':
      return `${say(step, 'method') || 'Call'} ${say(step, 'url')}`;
    case 'post': {
      const text = findSource(step, 'text', all)?.words ?? quoteShort(say(step, 'text'));
      const place = say(step, 'conversation');
      return `Post ${text}${place === '' ? '' : ` in ${place}`}`;
    }
    case 'ask':
      return `Ask ${say(step, 'assignee') || 'you'}: ${trimLine(say(step, 'question'))}`;
    case 'remind':
      return `Remind you ${describeTime(step, timezone)}: ${trimLine(say(step, 'text'))}`.replace(
        /\s+:/,
        ':',
      );
    case 'calendar_read':
      return 'Read the calendar';
    case 'calendar_add':
      return `Add ${quoteShort(say(step, 'title'))} to the calendar, ${describeTime(step, timezone)}`;
    case 'wait':
      return `Wait ${sayDuration(say(step, 'seconds'))}`;
    case 'nothing':
      return 'Do nothing';
    case null: {
      const words = splitName(step.spec.operation).join(' ');
      const detail = Object.values(step.args)
        .flatMap((v) => (Array.isArray(v) ? v : [v]))
        .filter((v) => typeof v === 'string' || typeof v === 'number')
        .slice(0, 3)
        .map((v) => (typeof v === 'string' ? quoteShort(v, 40) : String(v)));
      return `${words.charAt(0).toUpperCase()}${words.slice(1)} with ${nameTool(step.spec)}${detail.length > 0 ? `: ${detail.join(', ')}` : ''}`;
    }
    default:
      return step.spec.name;
  }
}

/** " (not before 2026-03-05 at 09:00)" */
export function describeWait(start: string | null, timezone: string): string {
  return start === null ? '' : ` (not before ${printMoment(start, timezone).replace(' ', ' at ')})`;
}

/** "5 minutes", "90 seconds". */
function sayDuration(seconds: string): string {
  const count = Number(seconds);
  const [amount, unit] =
    count > 0 && count % 3600 === 0
      ? [count / 3600, 'hour']
      : count > 0 && count % 60 === 0
        ? [count / 60, 'minute']
        : [count, 'second'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function namePlace(step: Described, path: string): string {
  if (path !== '' && path !== '.') return path;
  return step.spec.source === 'mcp' ? `the files of ${step.spec.tool}` : 'the workspace';
}

function trimLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}

function describeTime(step: Described, timezone: string): string {
  const rule = say(step, 'rrule');
  const from = say(step, 'at');
  if (rule !== '' && from !== '')
    return `${describeRule(rule)}, first ${describeMoment(step, timezone)}`;
  if (rule !== '') return describeRule(rule);
  return describeMoment(step, timezone);
}

function describeMoment(step: Described, timezone: string): string {
  const at = say(step, 'at');
  if (at === '') return '';
  if (/^\d{4}-\d\d-\d\d$/.test(at))
    return `${say(step, 'end') === '' ? 'on' : 'from'} ${at}${describeEnd(step, timezone)}`;
  return Number.isNaN(Date.parse(at)) || !/[zZ]|[+-]\d\d:\d\d$/.test(at)
    ? `at ${at}`
    : `on ${printMoment(at, timezone).replace(' ', ' at ')}${describeEnd(step, timezone)}`;
}

/** " to 16:00", with the day when it is another one. */
function describeEnd(step: Described, timezone: string): string {
  const end = say(step, 'end');
  if (end === '') return '';
  // The end of whole days is the day after the last one.
  if (/^\d{4}-\d\d-\d\d$/.test(end))
    return ` to ${new Date(Date.parse(end) - 86_400_000).toISOString().slice(0, 10)}`;
  if (!/[zZ]|[+-]\d\d:\d\d$/.test(end)) return ` to ${end}`;
  const [day = '', time = ''] = printMoment(end, timezone).split(' ');
  const [first] = printMoment(say(step, 'at'), timezone).split(' ');
  return day === first ? ` to ${time}` : ` to ${day} at ${time}`;
}

const dayNames: Record<string, string> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const unitNames: Record<string, string> = { DAILY: 'day', HOURLY: 'hour', MINUTELY: 'minute' };

/** "every weekday at 09:30": a rule as `readRule` writes it, in words. */
function describeRule(rrule: string): string {
  const part = Object.fromEntries(rrule.split(';').map((item) => item.split('=')));
  const unit = unitNames[part.FREQ ?? ''] ?? (part.FREQ ?? '').toLowerCase().replace(/ly$/, '');
  const interval = Number(part.INTERVAL ?? 1);
  const days: string = part.BYDAY ?? '';
  let words = interval > 1 ? `every ${interval} ${unit}s` : `every ${unit}`;
  if (days === 'MO,TU,WE,TH,FR') words = 'every weekday';
  else if (/^-?\d/.test(days)) {
    const place = days.startsWith('-1') ? 'last' : `${Number.parseInt(days, 10)}.`;
    words = `on the ${place} ${dayNames[days.slice(-2)]} of every month`;
  } else if (days !== '') {
    const names = listOf(days.split(',').map((day) => dayNames[day] ?? day));
    words = `${interval > 1 ? `${words} on` : 'every'} ${names}`;
  } else if (part.BYMONTHDAY) words = `on day ${part.BYMONTHDAY} of every month`;
  if (part.BYHOUR === undefined) return words;
  return `${words} at ${part.BYHOUR.padStart(2, '0')}:${(part.BYMINUTE ?? '0').padStart(2, '0')}`;
}

/** "a, b, and c": phrases need the comma before "and". */
function joinPhrases(words: string[]): string {
  if (words.length < 3) return listOf(words);
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

/** A file that is there afterwards: its text where that is known, and where it came from. */
type FileState = {
  path: string;
  text: string | null;
  by: 'creates' | 'moves' | 'copies';
  from: string;
};

/** One sentence: what the plan does. */
export function describeOutcome(steps: Described[], timezone: string): string {
  const files = new Map<string, FileState>();
  const gone = new Set<string>();
  const facts: string[] = [];
  // What is read only for a later step is no outcome of its own.
  const piped = steps.some((step) => referencesOf(step.args).length > 0);
  for (const step of steps) {
    const path = say(step, 'path');
    switch (familyOf(step.spec)) {
      case 'write': {
        const field = findField(readFields(step.spec.input), 'content');
        const content = field && step.args[field.name];
        const text = typeof content === 'string' ? content : null;
        const source = findSource(step, 'content', steps);
        const by = source?.file === true ? 'copies' : 'creates';
        files.set(path, { path, text, by, from: source?.words ?? '' });
        gone.delete(path);
        break;
      }
      case 'move': {
        const [from, to] = [say(step, 'from'), say(step, 'to')];
        files.set(to, { ...(files.get(from) ?? { text: null, by: 'moves', from }), path: to });
        files.delete(from);
        gone.delete(to);
        break;
      }
      case 'copy':
        files.set(say(step, 'to'), {
          path: say(step, 'to'),
          text: files.get(say(step, 'from'))?.text ?? null,
          by: 'copies',
          from: say(step, 'from'),
        });
        break;
      case 'delete':
        files.delete(path);
        gone.add(path);
        break;
      default: {
        const family = familyOf(step.spec);
        const fact =
          piped && (family === 'read' || family === 'fetch')
            ? ''
            : describeFact(step, timezone, steps);
        if (fact !== '' && !facts.includes(fact)) facts.push(fact);
      }
    }
  }
  const folders = steps
    .filter((step) => familyOf(step.spec) === 'make_folder')
    .map((step) => say(step, 'path'));
  const used = steps.flatMap((step) => [say(step, 'path'), say(step, 'from'), say(step, 'to')]);
  const emptyFolders = folders.filter(
    (folder) => !used.some((path) => path.startsWith(`${folder}/`)),
  );
  const parts = [
    ...describeFiles([...files.values()]),
    ...describeGone([...gone]),
    ...emptyFolders.map((folder) => `creates the folder ${folder}`),
    ...facts,
  ];
  const shown = parts.slice(0, 4);
  if (parts.length > shown.length) shown.push(`does ${parts.length - shown.length} more things`);
  const words = shown.length === 0 ? 'changes nothing' : joinPhrases(shown);
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  return sentence.length <= 1000 ? sentence : `${sentence.slice(0, 998)}….`;
}

function describeFiles(files: FileState[]): string[] {
  return [...Map.groupBy(files, ({ by }) => by)].flatMap(([by, some]) => {
    if (some.length <= 3) return some.map(describeFile);
    const to = by === 'creates' ? ':' : ' to';
    return [`${by} ${some.length} files${to} ${listShort(some.map(({ path }) => path))}`];
  });
}

function describeFile({ path, text, by, from }: FileState): string {
  if (by !== 'creates') return `${by} ${from} to ${path}`;
  if (text === null) return `creates ${path}`;
  return text === '' ? `creates ${path}, empty` : `creates ${path} containing ${quoteShort(text)}`;
}

function describeGone(paths: string[]): string[] {
  return paths.length === 0 ? [] : [`permanently deletes ${listShort(paths)}`];
}

function listShort(words: string[]): string {
  const shown = words.slice(0, 4);
  return listOf(words.length > 4 ? [...shown, `${words.length - 4} more`] : shown);
}

function describeFact(step: Described, timezone: string, all: Described[]): string {
  switch (familyOf(step.spec)) {
    case 'list':
      return `lists ${namePlace(step, say(step, 'path'))}`;
    case 'remind':
      return `reminds you ${describeTime(step, timezone)} of ${quoteShort(say(step, 'text'))}`;
    case 'calendar_add':
      return `adds ${quoteShort(say(step, 'title'))} to the calendar ${describeTime(step, timezone)}`;
    case 'post':
      return `posts ${findSource(step, 'text', all)?.words ?? quoteShort(say(step, 'text'))}`;
    case 'ask':
      return `asks ${say(step, 'assignee') || 'a person'} ${quoteShort(say(step, 'question'))}`;
    case 'request':
      return `sends a ${say(step, 'method')} request to ${say(step, 'url')}`;
    case 'read':
      return `reads ${say(step, 'path')}`;
    case 'fetch':
      return `fetches ${say(step, 'url')}`;
    case 'wait':
      return `waits ${sayDuration(say(step, 'seconds'))}`;
    case 'nothing':
    case 'make_folder':
    case 'calendar_read':
      return '';
    default:
      return `runs "${splitName(step.spec.operation).join(' ')}" with ${nameTool(step.spec)}`;
  }
}

/** The gist, at most 80 characters. */
export function describeTitle(steps: Described[], timezone: string): string {
  const used = new Set(steps.flatMap(({ args }) => referencesOf(args).map(({ $from }) => $from)));
  // Folders are made, and files read, for the sake of other steps.
  const main = steps.filter(({ id = '', spec }) => {
    const family = familyOf(spec);
    return family !== 'make_folder' && !(used.has(id) && (family === 'read' || family === 'fetch'));
  });
  const groups: { verb: string; lines: string[] }[] = [];
  for (const step of main.length > 0 ? main : steps) {
    const line = describeStep(step, timezone, steps);
    const verb = line.split(' ', 1)[0] ?? line;
    const last = groups.at(-1);
    if (last?.verb === verb) last.lines.push(line);
    else groups.push({ verb, lines: [line] });
  }
  const phrases = groups.map(({ verb, lines }) => {
    const rests = lines.map((line) => line.slice(verb.length + 1));
    return rests.length > 3
      ? `${verb} ${rests.length} ${nounFor(verb, lines)}`
      : `${verb} ${listOf(rests)}`;
  });
  const lowered = phrases.map((phrase, index) =>
    index === 0 ? phrase : phrase.charAt(0).toLowerCase() + phrase.slice(1),
  );
  const title =
    lowered.length > 3
      ? `${lowered[0]} and ${main.length - (groups[0]?.lines.length ?? 0)} more steps`
      : listOf(lowered);
  if (title.length <= 80) return title;
  const rest = main.length - (groups[0]?.lines.length ?? 0);
  const short =
    rest > 0 ? `${lowered[0]} and ${rest} more ${rest === 1 ? 'step' : 'steps'}` : title;
  return short.length <= 80 ? short : `${short.slice(0, 79)}…`;
}

function nounFor(verb: string, lines: string[]): string {
  const folders = lines.some(
    (line) => line.endsWith(' and everything in it') || /^Move (?:.*\/)?[^./]+ to /.test(line),
  );
  if (folders) return 'files and folders';
  return /^(?:Create|Move|Copy|Delete|Read)$/.test(verb) ? 'files' : 'times';
}

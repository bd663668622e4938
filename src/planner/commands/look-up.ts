// Answers by reading only: calls readable operations and says what they gave, as text.
import { isDatabaseAway } from '#db/transient.ts';
import { errorMessage } from '#domain/errors.ts';
import { isObject, type Json } from '#domain/text.ts';
import { showName } from '#domain/words.ts';
import type { PlannerTools } from '../ports.ts';
import { saysMore } from '../reads/list-pages.ts';
import { describeStep } from './describe.ts';
import { familyOf } from './families.ts';
import type { Step } from './step.ts';

const shownAtMost = 4000;
const entriesAtMost = 200;

export type Looked = { text: string; ok: boolean };

/** One step of a look-up, in words. A tool that fails is part of the answer. */
export async function lookUp(
  step: Step,
  tools: PlannerTools,
  timezone: string,
  signal: AbortSignal,
): Promise<Looked> {
  const what = describeStep(step, timezone, []);
  try {
    const output = await tools.call(step.spec.name, step.args, signal);
    return { ok: true, text: formatOutput(step, output.data, output.summary) };
  } catch (error) {
    signal.throwIfAborted();
    if (isDatabaseAway(error)) throw error;
    return { ok: false, text: `${what}: that did not work. ${errorMessage(error)}` };
  }
}

function formatOutput(step: Step, data: Json, summary: string): string {
  const path = typeof step.args.path === 'string' ? step.args.path : '';
  switch (familyOf(step.spec)) {
    case 'list': {
      const entries = readEntries(data);
      const root = step.spec.source === 'mcp' ? step.spec.tool : 'The workspace';
      const name = path === '' || path === '.' ? root : path;
      if (entries === null) return cut(readText(data) ?? summary);
      if (entries.length === 0) return `${name} is empty.`;
      const lines = entries
        .slice(0, entriesAtMost)
        .map((entry) => `- ${showName(entry.path)}${entry.folder ? '/' : ''}`);
      const more = entries.length - lines.length;
      const least = saysMore(data) ? 'at least ' : '';
      return [
        `${name} has ${least}${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}:`,
        ...lines,
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join('\n');
    }
    case 'read': {
      const text = readText(data);
      if (text === null) return summary;
      return text === '' ? `${path} is empty.` : `${path} says:\n\n${cut(text)}`;
    }
    case 'calendar_read':
      return cut(formatEvents(data) ?? summary);
    default:
      return cut(
        readText(data) ??
          (data === null ? summary : `${summary}\n${JSON.stringify(data, null, 2)}`),
      );
  }
}

function cut(text: string): string {
  return text.length <= shownAtMost
    ? text
    : `${text.slice(0, shownAtMost)}\n… (${text.length - shownAtMost} more characters)`;
}

/** The text in an output, wherever tools customarily put it. */
export function readText(data: Json): string | null {
  if (typeof data === 'string') return data;
  if (typeof data === 'number' || typeof data === 'boolean') return String(data);
  if (!isObject(data)) return null;
  for (const key of ['text', 'content', 'contents', 'body', 'result', 'message']) {
    const value = data[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) {
      const texts = value.map((item) =>
        isObject(item) && typeof item.text === 'string' ? item.text : null,
      );
      if (texts.length > 0 && texts.every((text) => text !== null)) return texts.join('\n');
    }
  }
  return null;
}

export type Entry = { path: string; folder: boolean };

/** The entries of a listing: a list of objects or names, or lines such as `[FILE] a.txt`. null when it is none. */
export function readEntries(data: Json): Entry[] | null {
  const list = Array.isArray(data)
    ? data
    : isObject(data)
      ? ['entries', 'files', 'items', 'children'].map((key) => data[key]).find(Array.isArray)
      : undefined;
  if (list) {
    const entries = list.map(readEntry).filter((entry) => entry !== null);
    return entries.length === list.length ? entries : null;
  }
  const text = readText(data);
  if (text === null) return null;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:Total|Combined size): \d/.test(line));
  if (lines.length === 0) return [];
  const marked = lines.map((line) => /^\[(FILE|DIR)\]\s(.+)$/.exec(line));
  const entries = marked.flatMap((match) =>
    match?.[2] ? [{ path: withoutSize(match[2]), folder: match[1] === 'DIR' }] : [],
  );
  // A line of another kind may be a part of a name.
  return entries.length === lines.length ? entries : null;
}

/** `a.txt    2.1 KB` → `a.txt` */
const withoutSize = (name: string): string =>
  name
    .trim()
    .replace(/\s{2,9}[\d.]{1,20} [KMG]?B$/, '')
    .trimEnd();

function readEntry(item: Json): Entry | null {
  if (typeof item === 'string')
    return { path: item.replace(/\/$/, ''), folder: item.endsWith('/') };
  if (!isObject(item)) return null;
  const path = item.path ?? item.name;
  const kind = item.kind ?? item.type;
  if (typeof path !== 'string') return null;
  return { path, folder: typeof kind === 'string' && /^(?:folder|dir)/i.test(kind) };
}

function formatEvents(data: Json): string | null {
  if (!isObject(data) || !Array.isArray(data.events)) return null;
  if (data.events.length === 0) return 'Nothing is in the calendar for that time.';
  const lines = data.events.map((event) => {
    if (!isObject(event)) return null;
    const title = event.title ?? event.summary;
    return typeof title === 'string'
      ? `- ${typeof event.start === 'string' ? `${event.start.slice(0, 16).replace('T', ' ')} ` : ''}${title}`
      : null;
  });
  return lines.every((line) => line !== null) ? lines.join('\n') : null;
}

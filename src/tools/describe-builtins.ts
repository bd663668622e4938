// How each built-in operation describes its call, in words (A17).
import { showTarget } from '#domain/chat/post-target.ts';
import { describeOption } from '#domain/plan/answer.ts';
import { isArtifact, isReference, isRuntime, isTemplate } from '#domain/plan/argument-kinds.ts';
import { nameArgument } from '#domain/plan/argument-words.ts';
import { type ArgumentReference, isOpen } from '#domain/plan/arguments.ts';
import type { CallDescription, CallPart, CallValue } from '#domain/plan/call.ts';
import { readForm } from '#domain/plan/form.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { describeLeftOut } from '#timeline/left-out.ts';
import { checkTimezone, toMoment } from '#timeline/recurrence.ts';
import { describeEnd, describeRecurrence, describeRhythm } from '#timeline/repetition.ts';
import { checkRule, readFields, readRule } from '#timeline/rule.ts';

export class Arguments {
  readonly #left: Map<string, Json>;
  readonly #toPart: typeof toPart;

  constructor(args: JsonObject, draw: typeof toPart) {
    this.#left = new Map(Object.entries(args));
    this.#toPart = draw;
  }

  take(name: string): Json | undefined {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  read(name: string): Json | undefined {
    return this.#left.get(name);
  }

  value(name: string, otherwise: string): CallValue | string {
    const value = this.take(name);
    return value === undefined ? otherwise : toValue(value);
  }

  payload(name: string): CallPart[] {
    const value = this.take(name);
    return value === undefined ? [] : [{ ...this.#toPart(name, value), payload: true }];
  }

  rest(): CallPart[] {
    const parts = [...this.#left].map(([name, value]) => this.#toPart(name, value));
    this.#left.clear();
    return parts;
  }
}

function describeReference({ $from, path = '' }: ArgumentReference): string {
  return `${path === '' ? 'result' : path.slice(1)} of step ${$from}`;
}

function toValue(value: Json): CallValue {
  if (typeof value === 'string') return { text: value, later: false };
  if (isReference(value)) return { text: describeReference(value), later: true };
  if (isArtifact(value)) {
    const at = value.path === undefined || value.path === '' ? '' : ` ${value.path}`;
    return { text: `from artifact ${value.$artifact}${at}`, later: true };
  }
  if (isTemplate(value)) {
    const parts = value.$template.map((part) =>
      typeof part === 'string' ? part : `{${describeReference(part)}}`,
    );
    return { text: parts.join(''), later: true };
  }
  if (isRuntime(value)) return { text: `decided when it runs: ${value.$decide}`, later: true };
  return { text: JSON.stringify(value), later: isOpen(value), json: true };
}

/** Null for anything but distinguishable plain values. */
function writeList(value: Json): string | null {
  if (!Array.isArray(value)) return null;
  const items = value.map((item) => {
    if (typeof item === 'string')
      return /[“”\r\n]/.test(item) ? null : quoteWords(item, item.length);
    if (typeof item === 'number') return String(item);
    return isReference(item) ? describeReference(item) : null;
  });
  return items.length === 0 || items.includes(null) ? null : items.join(', ');
}

export function toPart(label: string, value: Json): CallPart {
  return { label, payload: false, ...toValue(value) };
}

export function toPlainPart(name: string, value: Json): CallPart {
  const part = toPart(nameArgument(name), value);
  if (typeof value === 'boolean') return { ...part, text: value ? 'yes' : 'no' };
  const list = writeList(value);
  return list === null ? part : { ...part, text: list };
}

function eachOf(label: string, value: Json | undefined): CallPart[] {
  if (value === undefined) return [];
  const isOneValue = [isReference, isArtifact, isTemplate, isRuntime].some((is) => is(value));
  if (!isObject(value) || isOneValue) return [toPart(label, value)];
  return Object.entries(value).map(([name, item]) => toPart(`${label} ${name}`, item));
}

export type Effect = Pick<CallDescription, 'class' | 'headline'> &
  Partial<Pick<CallDescription, 'destructive' | 'parts'>> & { replaces?: boolean };
export type Describe = (args: Arguments) => Effect;

const here = (args: Arguments, verb: string, name: string, otherwise: string): Effect => ({
  class: 'reads',
  headline: [verb, args.value(name, otherwise)],
});

function describeRequest(args: Arguments): Effect {
  const method = args.take('method') ?? 'GET';
  return {
    class: 'outside',
    headline: [toValue(method), args.value('url', '(no address given)')],
    destructive: method === 'DELETE',
    replaces: typeof method !== 'string' || method === 'PUT' || method === 'PATCH',
    parts: [...eachOf('header', args.take('headers')), ...args.payload('body')],
  };
}

function isAddress(value: Json | undefined): boolean {
  return typeof value !== 'string' || /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
}

function describeCalendarRead(args: Arguments): Effect {
  const calendar = args.take('calendar');
  if (calendar === undefined) return { class: 'reads', headline: ['Reads the calendars'] };
  return {
    class: isAddress(calendar) ? 'outside' : 'reads',
    headline: ['Reads the calendar', toValue(calendar)],
  };
}

function leftOutOf(args: Arguments, start: string): string[] {
  const [rrule, at, zone] = [args.read('rrule'), args.read(start), args.read('timezone')];
  if (typeof rrule !== 'string' || typeof at !== 'string') return [];
  const timezone = typeof zone === 'string' ? zone : 'UTC';
  try {
    const recurrence = { rrule: readRule(rrule), timezone, startsAt: toMoment(at, timezone) };
    const words = describeLeftOut(recurrence).trim().replace(/\.$/, '');
    return words === '' ? [] : [`(${words})`];
  } catch {
    return []; // refused elsewhere, with the reason
  }
}

function describeRepeats(args: Arguments, start: string): CallPart[] {
  const [rrule, at, zone] = [args.read('rrule'), args.read(start), args.read('timezone')];
  if (typeof rrule !== 'string' || checkRule(rrule) !== null) return [];
  const timezone = typeof zone === 'string' && checkTimezone(zone) === null ? zone : 'UTC';
  let startsAt: Date | null = null;
  try {
    startsAt = typeof at === 'string' ? toMoment(at, timezone) : null;
  } catch {
    return []; // refused elsewhere, with the reason
  }
  args.take('rrule');
  const recurrence = { rrule, timezone, startsAt: startsAt ?? new Date(0) };
  const isTimed = startsAt !== null || readFields(rrule).has('BYHOUR');
  const words = isTimed
    ? describeRecurrence(recurrence)
    : `${describeRhythm(recurrence)}, at the time it is set`;
  return [toPart('repeats', words + describeEnd({ rrule, timezone, until: null }))];
}

function describePost(args: Arguments): Effect {
  const to = args.take('conversation');
  return {
    class: to === undefined ? 'changes' : 'outside',
    headline: to === undefined ? ['Posts here'] : ['Posts to', toValue(showTarget(to))],
    parts: args.payload('text'),
  };
}

function describeForm(form: Json | undefined): CallPart[] {
  if (form === undefined || form === null) return [];
  const read = isOpen(form) ? null : readForm(form);
  if (read?.ok !== true) return [toPart('form', form)];
  const fields = read.fields.map(({ name, label, type, required, options, help }) => {
    const choices = options.map(describeOption).join(', ');
    const facts = [type, ...(choices === '' ? [] : [choices]), ...(required ? ['required'] : [])];
    const more = help === null ? '' : `: ${quoteWords(help, 300)}`;
    const shown = quoteName(label, 200);
    return `${label === name ? name : `${shown} [${name}]`} (${facts.join('; ')})${more}`;
  });
  return [toPart('form', fields.join('\n'))];
}

function describeHumanTask(args: Arguments): Effect {
  return {
    class: 'changes',
    headline: ['Asks', args.value('assignee', 'the requester')],
    parts: [...args.payload('question'), ...describeForm(args.take('form'))],
  };
}

function describeMove(args: Arguments, verb: 'Moves' | 'Copies', from: string): Effect {
  const overwrite = args.take('overwrite');
  return {
    class: 'changes',
    headline: [
      verb,
      args.value(from, '(no path given)'),
      'to',
      args.value('to', '(no path given)'),
    ],
    destructive: overwrite !== undefined && overwrite !== false,
    replaces: overwrite !== undefined && overwrite !== false,
    parts: overwrite === undefined ? [] : [toPlainPart('overwrite', overwrite)],
  };
}

const edits: Record<string, string> = {
  append: 'Adds to the end of',
  prepend: 'Adds to the beginning of',
  replace: 'Replaces text in',
};

function describeEdit(args: Arguments): Effect {
  const action = args.take('action');
  const verb = typeof action === 'string' ? edits[action] : undefined;
  const path = args.value('path', '(no path given)');
  if (verb === undefined)
    return {
      class: 'changes',
      headline: ['Edits', path],
      destructive: true,
      parts: action === undefined ? [] : [toPlainPart('action', action)],
    };
  if (action !== 'replace')
    return { class: 'changes', headline: [verb, path], parts: args.payload('text') };
  const all = args.take('all');
  const first = all === false ? [', the first place only'] : [];
  return {
    class: 'changes',
    headline: [verb, path, ...first],
    destructive: true,
    parts: [
      ...args.payload('find'),
      ...args.payload('text'),
      ...(typeof all === 'boolean' || all === undefined ? [] : [toPlainPart('all', all)]),
    ],
  };
}

function describeDelete(args: Arguments): Effect {
  const recursive = args.take('recursive');
  const all = recursive === true ? ['and everything in it'] : [];
  return {
    class: 'changes',
    headline: ['Permanently deletes', args.value('path', '(no path given)'), ...all],
    destructive: true,
    parts:
      recursive === undefined || recursive === true ? [] : [toPlainPart('recursive', recursive)],
  };
}

function describeSources(args: Arguments): CallValue {
  const named = (['partition', 'tag'] as const).flatMap((kind) => {
    const value = args.take(kind);
    return value === undefined ? [] : [{ kind, ...toValue(value) }];
  });
  return {
    text:
      named.length === 0
        ? 'the steps named'
        : named
            .map(({ kind, text }) =>
              kind === 'tag' ? `the steps tagged ${text}` : `${kind} ${text}`,
            )
            .join(' and '),
    later: named.some(({ later }) => later),
  };
}

export const describersOfBuiltins: Record<string, Describe> = {
  workspace_list: (args) => here(args, 'Lists', 'path', 'the workspace'),
  workspace_read: (args) => here(args, 'Reads', 'path', '(no path given)'),
  workspace_read_table: (args) => here(args, 'Reads rows of', 'path', '(no path given)'),
  workspace_search: (args) => here(args, 'Searches', 'path', 'the workspace'),
  workspace_write: (args) => ({
    class: 'changes',
    headline: ['Writes', args.value('path', '(no path given)')],
    replaces: args.read('overwrite') !== false,
    parts: args.payload('content'),
  }),
  workspace_edit: describeEdit,
  workspace_copy: (args) => describeMove(args, 'Copies', 'path'),
  workspace_move: (args) => describeMove(args, 'Moves', 'from'),
  workspace_delete: describeDelete,
  http_get: (args) => ({
    class: 'outside',
    headline: ['GET', args.value('url', '(no address given)')],
    parts: eachOf('header', args.take('headers')),
  }),
  http_request: describeRequest,
  chat_post: describePost,
  chat_save_file: (args) => ({
    class: 'changes',
    headline: [
      'Copies the attached file',
      args.value('file', '(no file given)'),
      'to',
      args.value('path', '(no path given)'),
    ],
  }),
  human_task: describeHumanTask,
  human_confirm: (args) => ({
    class: 'changes',
    headline: ['Asks', args.value('assignee', 'the requester'), 'to confirm (yes/no)'],
    parts: args.payload('question'),
  }),
  reminder_set: (args) => ({
    class: 'changes',
    headline: ['Sets a reminder', ...leftOutOf(args, 'at')],
    parts: [...args.payload('text'), ...describeRepeats(args, 'at')],
  }),
  calendar_read: describeCalendarRead,
  calendar_add: (args) => ({
    class: 'changes',
    headline: [
      'Adds',
      args.value('title', 'an event'),
      'to',
      args.value('calendar', 'the calendar'),
      ...leftOutOf(args, 'start'),
    ],
    parts: describeRepeats(args, 'start'),
  }),
  text_write: (args) => ({
    class: 'reads',
    headline: ['Generates text with the model'],
    parts: args.payload('instructions'),
  }),
  text_summarize: (args) => ({
    class: 'reads',
    headline: ['Sends text to the model for a summary'],
    parts: args.payload('text'),
  }),
  draft_gather: (args) => ({
    class: 'reads',
    headline: ['Gathers the results of', describeSources(args)],
  }),
  draft_narrow: () => ({ class: 'reads', headline: ['Merges draftbooks'] }),
  draft_finalise: (args) => ({
    class: 'reads',
    headline: ['Writes a report from', args.value('draftbook', '(no draftbook given)')],
    parts: args.payload('task'),
  }),
  plan_report: (args) => ({
    class: 'reads',
    headline: ['Reports a problem of severity', args.value('severity', '(none)')],
    parts: args.payload('message'),
  }),
  plan_recheck: (args) => ({
    class: 'reads',
    headline: ['Checks for changes in what was read by', describeSources(args)],
  }),
  plan_replan_patch: (args) => ({
    class: 'reads',
    headline: ['Works out a correction for problem', args.value('finding', '(none)')],
  }),
  plan_verify_patch: (args) => ({
    class: 'changes',
    headline: [
      'Checks and applies the correction for problem',
      args.value('finding', '(none)'),
      'and applies it where it widens nothing',
    ],
  }),
  control_noop: () => ({ class: 'reads', headline: ['Does nothing'] }),
  control_wait: (args) => ({
    class: 'reads',
    headline: ['Waits', ...lengthOf(args.take('seconds') ?? 0)],
  }),
};

const units = [
  [3600, 'hour'],
  [60, 'minute'],
] as const;

/** In the largest whole unit: `50 minutes`. */
function lengthOf(seconds: Json): CallDescription['headline'] {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds))
    return [toValue(seconds), 'seconds'];
  const whole = units.find(([size]) => seconds > 0 && seconds % size === 0);
  const [size, unit] = whole ?? ([1, 'second'] as const);
  return [countOf(seconds / size, unit)];
}

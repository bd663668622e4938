// Describes a call's effect from its operation and arguments (A17). The headline or a part shows every argument.
import { z } from 'zod';
import { showTarget } from '#domain/chat/post-target.ts';
import { describeOption } from '#domain/plan/answer.ts';
import { isArtifact, isReference, isRuntime, isTemplate } from '#domain/plan/argument-kinds.ts';
import { nameArgument } from '#domain/plan/argument-words.ts';
import {
  type ArgumentReference,
  isOpen,
  referencesOf,
  renameReferences,
} from '#domain/plan/arguments.ts';
import type {
  CallClass,
  CallDescription,
  CallPart,
  CallValue,
  ShownStep,
} from '#domain/plan/call.ts';
import { type AskingStep, labelConditions } from '#domain/plan/condition-labels.ts';
import { readForm } from '#domain/plan/form.ts';
import type { Step } from '#domain/plan/plan.ts';
import { SeenState } from '#domain/plan/seen.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json, type JsonObject, line } from '#domain/text.ts';
import {
  type CallFacts,
  type Catalogue,
  type Operation,
  type OperationSpec,
  operationName,
} from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { describeLeftOut } from '#timeline/left-out.ts';
import { checkTimezone, toMoment } from '#timeline/recurrence.ts';
import { describeEnd, describeRecurrence, describeRhythm } from '#timeline/repetition.ts';
import { checkRule, readFields, readRule } from '#timeline/rule.ts';

type Described =
  | (Pick<OperationSpec, 'source' | 'effect' | 'destructive' | 'trusted'> &
      Pick<Operation, 'describe'>)
  | undefined;

class Arguments {
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

/** `status of step 2` */
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

/** `“One”, “Two”`, or null for anything but a list of plain values that can be told apart. */
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

function toPart(label: string, value: Json): CallPart {
  return { label, payload: false, ...toValue(value) };
}

/** An argument of a built-in operation, whose schema leaves no doubt about its type. */
function toPlainPart(name: string, value: Json): CallPart {
  const part = toPart(nameArgument(name), value);
  if (typeof value === 'boolean') return { ...part, text: value ? 'yes' : 'no' };
  const list = writeList(value);
  return list === null ? part : { ...part, text: list };
}

function eachOf(label: string, value: Json | undefined): CallPart[] {
  if (value === undefined) return [];
  if (
    !isObject(value) ||
    isReference(value) ||
    isArtifact(value) ||
    isTemplate(value) ||
    isRuntime(value)
  )
    return [toPart(label, value)];
  return Object.entries(value).map(([name, item]) => toPart(`${label} ${name}`, item));
}

/** `replaces`: overwrites an existing target. */
type Effect = Pick<CallDescription, 'class' | 'headline'> &
  Partial<Pick<CallDescription, 'destructive' | 'parts'>> & { replaces?: boolean };
type Describe = (args: Arguments) => Effect;

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

/** `(Only in leap years)` */
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

/** Without its own time, a rule uses the start's. */
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
  const conversation = args.take('conversation');
  return {
    class: conversation === undefined ? 'changes' : 'outside',
    headline:
      conversation === undefined ? ['Posts here'] : ['Posts in', toValue(showTarget(conversation))],
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

/** `partition letters`; step IDs are a separate part. */
function describeSources(args: Arguments): CallValue {
  const named = (['partition', 'tag'] as const).flatMap((kind) => {
    const value = args.take(kind);
    if (value === undefined) return [];
    return [{ kind, ...toValue(value) }];
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

const builtins: Record<string, Describe> = {
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

/** Seconds in the largest whole unit: `50 minutes`. */
function lengthOf(seconds: Json): CallDescription['headline'] {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds))
    return [toValue(seconds), 'seconds'];
  if (seconds > 0 && seconds % 3600 === 0) return [countOf(seconds / 3600, 'hour')];
  return [
    seconds > 0 && seconds % 60 === 0
      ? countOf(seconds / 60, 'minute')
      : countOf(seconds, 'second'),
  ];
}

/** Annotations raise a tool's class; only a trusted server's lower it. */
function classOf(spec: Described): CallClass {
  if (spec === undefined || (spec.source === 'mcp' && spec.trusted !== true)) return 'outside';
  return spec.effect === 'read' ? 'reads' : 'changes';
}

const Facts = z.object({
  verb: line(200),
  target: z.string().exactOptional(),
  payload: z.array(z.string()).exactOptional(),
  destructive: z.boolean().exactOptional(),
  outside: z.boolean().exactOptional(),
});

/** From a tool's own code, or null if unusable, so that every argument is listed. */
function readFacts(spec: NonNullable<Described>, args: JsonObject): CallFacts | null {
  try {
    // A copy: it must not change the call.
    return Facts.parse(spec.describe?.(structuredClone(args)));
  } catch {
    return null; // arguments are unknown
  }
}

/** Changes count as external, since that can't be known here. */
function describeFileCall(name: string, spec: NonNullable<Described>, args: JsonObject): Describe {
  const facts = spec.describe === undefined ? null : readFacts(spec, args);
  const outside = facts?.outside ?? spec.effect !== 'read';
  const common = {
    class: outside ? ('outside' as const) : classOf(spec),
    destructive: spec.destructive || (facts?.destructive ?? false),
  };
  if (facts === null)
    return () => ({ ...common, headline: ['Calls', { text: name, later: false }] });
  const { verb, target, payload = [] } = facts;
  return (left) => ({
    ...common,
    headline: target === undefined ? [verb] : [verb, left.value(target, `(no ${target} given)`)],
    parts: payload.flatMap((label) => left.payload(label)),
  });
}

function describerOf(name: string, spec: Described, args: JsonObject): Describe | undefined {
  if (spec?.source === 'file') return describeFileCall(name, spec, args);
  if (spec?.source === 'mcp' || !Object.hasOwn(builtins, name)) return undefined;
  return builtins[name];
}

function withShown(call: CallDescription, name: string, seen: SeenState): CallDescription {
  const target = { ...seen, name, fails: seen.state === 'missing' };
  if (seen.text === undefined) return { ...call, target };
  const label = 'current content';
  const aid: CallPart = { label, text: seen.text, later: false, payload: false, aid: true };
  return { ...call, target, parts: [aid, ...call.parts] };
}

/** A write that replaces a file destroys its content. */
function withTarget(
  call: CallDescription,
  name: string,
  args: JsonObject,
  seen: SeenState,
): CallDescription {
  const exists = seen.state === 'exists';
  const moves = name === 'workspace_move' || name === 'workspace_copy';
  const named = moves && exists ? args.to : (args.path ?? args.from);
  const keeps = (moves && args.overwrite !== true) || args.overwrite === false;
  const target = {
    ...seen,
    name: typeof named === 'string' ? named : '',
    fails: seen.state === 'missing' || (exists && keeps),
  };
  const [, ...plain] = call.headline;
  const parts =
    seen.state === 'new'
      ? call.parts.filter(({ label, text }) => label !== 'overwrite' || text !== 'yes')
      : call.parts;
  const rest =
    seen.leads_to === undefined
      ? plain
      : [...plain, ', a link to', { text: seen.leads_to, later: false }];
  const [first = ''] = call.headline;
  if (name === 'workspace_edit')
    return {
      ...call,
      parts,
      target,
      headline: [seen.state === 'new' ? 'Creates' : first, ...rest],
    };
  const destructive = moves ? exists && !keeps : call.destructive;
  if (name !== 'workspace_write')
    return { ...call, parts, target, destructive, headline: [first, ...rest] };
  const verb = exists ? (keeps ? 'Writes' : 'Overwrites') : 'Creates';
  return { ...call, parts, target, destructive: exists && !keeps, headline: [verb, ...rest] };
}

const uncheckedWords = '(not checked: may overwrite)';

/**
 * @param name `${tool}_${operation}` @param seen the target at proposal, null if unreadable, undefined if described elsewhere
 * @param spec undefined if no longer offered, which assumes the worst
 */
export function describeCall(
  name: string,
  spec: Described,
  args: JsonObject,
  seen?: SeenState | null,
): CallDescription {
  const known = describerOf(name, spec, args);
  const isBuiltin = known !== undefined && spec?.source !== 'file';
  const left = new Arguments(args, isBuiltin ? toPlainPart : toPart);
  const effect: Effect =
    known === undefined
      ? {
          class: classOf(spec),
          headline: ['Calls', { text: name, later: false }],
          destructive: spec?.destructive ?? true,
        }
      : known(left);
  const call = {
    class: effect.class,
    destructive: effect.destructive ?? false,
    headline: effect.headline,
    parts: [...(effect.parts ?? []), ...left.rest()],
  };
  if (seen === undefined) return call;
  if (seen === null)
    return effect.replaces === true
      ? { ...call, destructive: true, headline: [...call.headline, uncheckedWords] }
      : call;
  if (known === undefined) return withShown(call, '', seen);
  if (name !== 'http_request') return withTarget(call, name, args, seen);
  return withShown(call, typeof args.url === 'string' ? args.url : '', seen);
}

function argumentsOf({ status, args, final_args: final }: Step): JsonObject {
  const begun = status !== 'pending' && status !== 'ready';
  return begun && final !== null ? final : args;
}

/** Undefined if the call was made without looking. */
const seenOf = ({ seen, status }: Step): SeenState | null | undefined =>
  seen ?? (status === 'succeeded' ? undefined : null);

const Looked = z.object({ looked: SeenState });

/** As shown when a person was asked. */
function seenInOutput({ output }: Step): SeenState | undefined {
  const read = Looked.safeParse(output);
  return read.success ? read.data.looked : undefined;
}

export function sourcesOf(steps: Step[]): string[] {
  return steps.flatMap((step) => referencesOf(argumentsOf(step)).map(({ $from }) => $from));
}

/**
 * Final values are used for calls under confirmation. @param labels of other steps whose outputs these take @param asking other
 * steps used in conditions
 */
export function describeSteps(
  catalogue: Pick<Catalogue, 'get'>,
  steps: Step[],
  labels: ReadonlyMap<string, string> = new Map(),
  asking: AskingStep[] = [],
): ShownStep[] {
  const asked = [...steps, ...asking];
  const own = new Map(steps.map(({ id, label }) => [id, label]));
  const nameStep = (id: string) => own.get(id) ?? labels.get(id) ?? id;
  return steps.map((step) => {
    const name = operationName(step.tool, step.operation);
    const seen = step.final_args === null ? seenOf(step) : seenInOutput(step);
    const args = renameReferences(argumentsOf(step), nameStep);
    const when = labelConditions(step.when, asked);
    return { ...step, when, call: describeCall(name, catalogue.get(name), args, seen) };
  });
}

/** Milliseconds for all comparisons of a page. */
const comparedWithinMs = 1000;

export async function compareSteps(
  catalogue: Pick<Catalogue, 'get'>,
  steps: Step[],
  labels: ReadonlyMap<string, string>,
  asking: AskingStep[],
): Promise<ShownStep[]> {
  const signal = AbortSignal.timeout(comparedWithinMs);
  const until = performance.now() + comparedWithinMs;
  const compare = async (step: ShownStep): Promise<ShownStep> => {
    const operation = catalogue.get(operationName(step.tool, step.operation));
    if (step.seen?.state !== 'exists' || step.attempt > 0 || operation?.compare === undefined)
      return step;
    const text = performance.now() > until ? null : await operation.compare(step.args, signal);
    if (text === null || text === '') return step;
    const aid: CallPart = {
      label: 'difference from the current content',
      text,
      later: false,
      payload: false,
      aid: true,
    };
    return { ...step, call: { ...step.call, parts: [aid, ...step.call.parts] } };
  };
  const compared: ShownStep[] = [];
  // Checked by the clock: no timer fires during a comparison.
  for (const step of describeSteps(catalogue, steps, labels, asking))
    compared.push(await compare(step));
  return compared;
}

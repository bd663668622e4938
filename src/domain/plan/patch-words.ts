// Describes patch operations in sentences.
import { quoteWords, showString } from '#domain/shown-text.ts';
import { isObject, JsonObject } from '../text.ts';
import { operationName } from '../tool.ts';
import { countOf, endSentence, listOf } from '../words.ts';
import { renameReferences } from './arguments.ts';
import { shortenSized } from './call-words.ts';
import { toDependency } from './dependency.ts';
import type { AddedDraft, PatchOperation } from './patch.ts';
import { contentOfSettings, type StepSettings } from './step-content.ts';
import { describeDependency } from './step-numbers.ts';
import type { StepSelector } from './step-selector.ts';
import { wordsFor } from './step-words.ts';

/** The patch's counts cover all. */
export const maxShownOperations = 20;

type NameStep = (id: string) => string;

type Room = { text: number; named: number; name: NameStep };
const brief = { text: 160, named: 5 };
const unlimited = { text: Number.POSITIVE_INFINITY, named: Number.POSITIVE_INFINITY };

function describeSteps({ ids, partition, tag }: StepSelector, { named: most, name }: Room): string {
  const parts: string[] = [];
  if (ids !== undefined) {
    const named = ids.slice(0, most).map(name);
    const more = ids.length - named.length;
    const names = listOf([...named, ...(more > 0 ? [`${more.toLocaleString('en-US')} more`] : [])]);
    parts.push(`${ids.length === 1 ? 'step' : 'steps'} ${names}`);
  }
  if (partition !== undefined) parts.push(`the steps of partition ${partition}`);
  if (tag !== undefined) parts.push(`the steps tagged ${tag}`);
  return listOf(parts);
}

function describeValue(value: unknown, { text }: Room): string {
  return shortenSized(typeof value === 'string' ? showString(value) : JSON.stringify(value), text);
}

/** `arguments {"path":"a.md"} without overwrite`. */
function describeSet(args: JsonObject, room: Room): string {
  const entries = Object.entries(renameReferences(args, room.name));
  const set = Object.fromEntries(entries.filter(([, value]) => value !== null));
  const removed = entries.flatMap(([name, value]) => (value === null ? [name] : []));
  return [
    'arguments',
    ...(Object.keys(set).length > 0 || removed.length === 0 ? [describeValue(set, room)] : []),
    ...(removed.length > 0 ? [`without ${listOf(removed)}`] : []),
  ].join(' ');
}

/** `priority 5`, `no earliest start`, …; limits last. */
function describeFields(fields: StepSettings, room: Room, isChange = false): string[] {
  const stored: Record<string, unknown> = contentOfSettings(fields);
  const phrases = Object.entries(fields).map(([field, value]) => {
    const { noun = field, given } = wordsFor(field);
    if (given !== undefined)
      return { limit: true, words: given(stored[field], { step: room.name }) };
    if (isChange && field === 'args')
      return { limit: false, words: describeSet(JsonObject.parse(value), room) };
    const shown = isObject(value) ? renameReferences(JsonObject.parse(value), room.name) : value;
    return {
      limit: false,
      words: value === null ? `no ${noun}` : `${noun} ${describeValue(shown, room)}`,
    };
  });
  return phrases.toSorted((a, b) => Number(a.limit) - Number(b.limit)).map(({ words }) => words);
}

/** `after step 1`, `2 d after step 1 begins`. */
function describeWaits({ after = [] }: AddedDraft, { named: most, name }: Room): string[] {
  const waits = after.slice(0, most).map((one) => {
    const edge = toDependency(one);
    return describeDependency({ ...edge, id: `step ${name(edge.id)}` });
  });
  const hidden = after.length - waits.length;
  return hidden === 0 ? waits : [...waits, `after ${countOf(hidden, 'more step')}`];
}

function describeAdded(step: AddedDraft, fields: StepSettings, room: Room): string {
  const given = describeFields(fields, room);
  const waits = describeWaits(step, room);
  return `${given.length === 0 ? '' : ` with ${listOf(given)}`}${waits.length === 0 ? '' : `, ${listOf(waits)}`}`;
}

export function describeAddition(step: AddedDraft, name: NameStep): string {
  const {
    id,
    description: _,
    tool: __,
    operation: ___,
    args: ____,
    after: _____,
    ...fields
  } = step;
  return `step ${name(id)}${describeAdded(step, fields, { ...unlimited, name })}`;
}

function describeNew(step: AddedDraft, replaced: string | null, room: Room): string {
  const { id, description, tool, operation, args = {}, after: _, ...others } = step;
  const fields = Object.keys(args).length === 0 ? others : { args, ...others };
  const described = describeAdded(step, fields, room);
  const reason = ` Planner's reason: ${quoteWords(description, room.text)}.`;
  const verb = replaced === null ? 'Adds' : `Replaces step ${room.name(replaced)} by`;
  return `${verb} step ${room.name(id)}: ${operationName(tool, operation)}${described}.${reason}`;
}

function describe(operation: PatchOperation, room: Room): string {
  switch (operation.op) {
    case 'add_step':
      return describeNew(operation.step, null, room);
    case 'replace_step':
      return describeNew(operation.by, operation.step, room);
    case 'update_steps':
      return `Changes ${describeSteps(operation.steps, room)}: ${listOf(describeFields(operation.set, room, true))}.`;
    case 'remove_steps':
      return operation.release === true
        ? `Removes ${describeSteps(operation.steps, room)}; steps that wait for it continue without it.`
        : `Removes ${describeSteps(operation.steps, room)}.`;
    case 'invalidate_steps': {
      const why =
        operation.reason === undefined ? '' : `: ${quoteWords(operation.reason, room.text)}`;
      return endSentence(
        `Makes ${describeSteps(operation.steps, room)} stale, with what depends on them${why}`,
      );
    }
    case 'rerun_steps':
      return `Runs ${describeSteps(operation.steps, room)} again.`;
    case 'add_dependency': {
      const { after } = operation;
      const step = room.name(operation.step);
      return after.type === 'FS' && after.lag_minutes === 0
        ? `Step ${step} waits for step ${room.name(after.id)}.`
        : `Step ${step} runs ${describeDependency({ ...after, id: `step ${room.name(after.id)}` })}.`;
    }
    case 'remove_dependency':
      return `Step ${room.name(operation.step)} no longer waits for step ${room.name(operation.after.id)}.`;
    case 'change_series': {
      const { args = {}, ...rhythm } = operation.set;
      const given = [...Object.entries(rhythm), ...Object.entries(args)].map(
        ([name, value]) => `${name} ${describeValue(value, room)}`,
      );
      return `Changes what repeats as ${quoteWords(operation.series, 100)}: ${listOf(given)}.`;
    }
    default:
      return operation satisfies never;
  }
}

export function describeOperations(operations: PatchOperation[], name: NameStep): string[] {
  return operations
    .slice(0, maxShownOperations)
    .map((operation) => describe(operation, { ...brief, name }));
}

/** Uncut. */
export function describeWhole(operation: PatchOperation, name: NameStep): string {
  return describe(operation, { ...unlimited, name });
}

export function shownIds(operations: PatchOperation[]): Set<string> {
  const ids = new Set<string>();
  const name = (id: string) => {
    ids.add(id);
    return id;
  };
  for (const operation of operations) describeWhole(operation, name);
  return ids;
}

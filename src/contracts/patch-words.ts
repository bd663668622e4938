// What the operations of a patch do, in sentences for people.
import { shortenSized } from './call-words.ts';
import { conditionsOf } from './condition.ts';
import { describeCondition } from './condition-words.ts';
import type { PatchOperation, StepSelector } from './patch.ts';
import { operationName } from './tool.ts';
import { listOf, shorten } from './words.ts';

/** So many operations are told; the counts of a patch say how much there is in all. */
export const operationsTold = 20;

type SetFields = Extract<PatchOperation, { op: 'update_steps' }>['set'];

/** How much of a text is said, and how many steps are named. */
type Room = { text: number; named: number };
const brief: Room = { text: 160, named: 5 };
const unlimited: Room = { text: Number.POSITIVE_INFINITY, named: Number.POSITIVE_INFINITY };

function describeSteps({ ids, partition, tag }: StepSelector, { named: most }: Room): string {
  const parts: string[] = [];
  if (ids !== undefined) {
    const named = ids.slice(0, most);
    const more = ids.length - named.length;
    const names = listOf([...named, ...(more > 0 ? [`${more.toLocaleString('en-US')} more`] : [])]);
    parts.push(`${ids.length === 1 ? 'step' : 'steps'} ${names}`);
  }
  if (partition !== undefined) parts.push(`the steps of partition ${partition}`);
  if (tag !== undefined) parts.push(`the steps tagged ${tag}`);
  return listOf(parts);
}

/** `the condition that step 2 /status is "green"`, whole. */
function describeLimits({ when, ask_before }: SetFields): string[] {
  const conditions = conditionsOf(when).map((one) => describeCondition(one));
  return [
    ...(when === undefined
      ? []
      : [when === null ? 'no condition' : `the condition that ${conditions.join(' and ')}`]),
    ...(ask_before === undefined
      ? []
      : [ask_before ? 'a question before it runs' : 'no question before it runs']),
  ];
}

function describeValue(value: unknown, { text }: Room): string {
  return shortenSized(typeof value === 'string' ? value : JSON.stringify(value), text);
}

/** Fields whose own names do not read well in a sentence. */
const fieldNames: Record<string, string> = {
  args: 'arguments',
  duration_minutes: 'duration in minutes',
  not_before: 'earliest start',
};

function describe(operation: PatchOperation, room: Room): string {
  switch (operation.op) {
    case 'add_step': {
      const {
        id,
        description,
        tool,
        operation: name,
        args = {},
        when,
        ask_before,
      } = operation.step;
      const given =
        Object.keys(args).length === 0 ? [] : [`arguments ${describeValue(args, room)}`];
      const limits = describeLimits({
        ...(when === undefined ? {} : { when }),
        ...(ask_before === undefined ? {} : { ask_before }),
      });
      const says = [...given, ...limits];
      const call = `${operationName(tool, name)}${says.length === 0 ? '' : ` with ${listOf(says)}`}`;
      const reason = ` The planner’s reason: “${shorten(description, room.text)}”.`;
      return `Adds step ${id}: ${call}.${description === '' ? '' : reason}`;
    }
    case 'update_steps': {
      const { when: _when, ask_before: _asks, ...fields } = operation.set;
      const limits = describeLimits(operation.set);
      const set = Object.entries(fields).map(([field, value]) => {
        const name = fieldNames[field] ?? field;
        return value === null ? `no ${name}` : `${name} ${describeValue(value, room)}`;
      });
      return `Gives ${describeSteps(operation.steps, room)} ${listOf([...set, ...limits])}.`;
    }
    case 'remove_steps':
      return `Removes ${describeSteps(operation.steps, room)}.`;
    case 'add_dependency':
      return `Has step ${operation.step} wait for step ${operation.after.id}.`;
    case 'remove_dependency':
      return `Has step ${operation.step} no longer wait for step ${operation.after.id}.`;
    default:
      return operation satisfies never;
  }
}

/** A sentence for each of the first operations. */
export function describeOperations(operations: PatchOperation[]): string[] {
  return operations.slice(0, operationsTold).map((operation) => describe(operation, brief));
}

/** An operation with every value and step that it names. */
export function describeWhole(operation: PatchOperation): string {
  return describe(operation, unlimited);
}

// A session's reads, stored with the plan as evidence (A13).
import { z } from 'zod';
import { parseAs } from '#domain/json.ts';
import type { PlanContext } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { SessionRead } from '#domain/planning/state.ts';
import { isObject, type Json, makeStorable } from '#domain/text.ts';

/** Characters per output and in all, as a plan's context holds 50 KB. */
const maxOutput = 12_000;
const maxAll = 40_000;
const maxReads = 100;

function cutData(data: Json, most = maxOutput): Json {
  const text = JSON.stringify(data);
  if (text.length <= most) return data;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

/** Characters shown to a model. */
export const maxShown = 20_000;
/** Characters that show a text was made from a file. */
const tellingLength = 60;

/** Null if seen whole or not text. */
function beginningOf(data: Json): string | null {
  if (isObject(data) && typeof data.begins === 'string') return data.begins;
  if (isObject(data))
    return data.truncated === true && typeof data.text === 'string' ? data.text : null;
  if (typeof data !== 'string') return null;
  const more = /… \((\d{1,12}) more characters\)$/.exec(data)?.[1];
  if (more === undefined || maxOutput + Number(more) <= maxShown) return null;
  const text = /"text":"((?:[^"\\]|\\.){1,400})/.exec(data)?.[1];
  return text === undefined ? null : parseAs(z.string(), `"${text}"`);
}

/** Texts made from part of a file, whose rest would be lost. */
export function findPartialBases(steps: StepDraft[], reads: SessionRead[]): string[] {
  return steps.flatMap(({ id = '', args: { path, content } = {} }) => {
    if (typeof path !== 'string' || typeof content !== 'string') return [];
    const isBase = reads.some((read) => {
      const beginning = read.args.path === path ? beginningOf(read.data) : null;
      return beginning !== null && content.includes(beginning.slice(0, tellingLength));
    });
    return isBase
      ? [
          `Step ${id}: only a part of ${path} was read, and the rest would be lost. Use workspace_edit.`,
        ]
      : [];
  });
}

function isSame(one: SessionRead, other: SessionRead): boolean {
  return (
    one.operation === other.operation && JSON.stringify(one.args) === JSON.stringify(other.args)
  );
}

/** Replaces the same call; drops the oldest if full. */
export function addRead(reads: SessionRead[], read: SessionRead): SessionRead[] {
  // Server output may be unstorable.
  const cut = { ...read, data: cutData(makeStorable(read.data)) };
  const kept = [...reads.filter((one) => !isSame(one, cut)), cut].slice(-maxReads);
  let length = kept.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  while (length > maxAll && kept.length > 1) length -= JSON.stringify(kept.shift()).length;
  return kept;
}

/** Independent of the time. */
function contentOf({ tool, operation, data }: PlanContext['tool_outputs'][string]): string {
  const { at: _, ...read } = isObject(data) ? data : { data };
  return JSON.stringify([tool, operation, read]);
}

/** `1 workspace_read` and so on, after earlier versions. */
export function toToolOutputs(
  reads: SessionRead[],
  earlier: PlanContext['tool_outputs'],
  split: (operation: string) => { tool: string; operation: string },
): PlanContext['tool_outputs'] {
  const outputs = reads.map(({ operation, args, data, at }) => ({
    name: operation,
    output: {
      ...split(operation),
      data: { args, output: data, ...(at === undefined ? {} : { at }) },
    },
  }));
  const fresh = new Set(outputs.map(({ output }) => contentOf(output)));
  const kept = Object.entries(earlier).filter(([, output]) => !fresh.has(contentOf(output)));
  const taken = new Set(kept.map(([key]) => key));
  let number = 1;
  const named = outputs.map(({ name, output }) => {
    let key = '';
    do key = `${number++} ${name}`.slice(0, 200);
    while (taken.has(key));
    return [key, output] as const;
  });
  return Object.fromEntries([...kept, ...named]);
}

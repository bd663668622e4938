// Durations, starts and effects of nodes and steps.
import { dependenciesOf, type StepDraft, sourcesOf } from '#domain/plan/step-content.ts';
import type { Schedule, ScheduleBlock } from '#domain/planning/schedule.ts';
import { isObject } from '#domain/text.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';
import { type OutlineIndex, seriesOf } from '../outline/outline-tree.ts';

/** Minutes, unless stated. */
const assumedMinutes = { machine: 1, person: 60 };

/** Own work only; wholes count through their parts. */
export function findDurations(index: OutlineIndex, operations: Operations): Float64Array {
  return Float64Array.from(index.nodes, (node, place) => {
    if ((index.children[place]?.length ?? 0) > 0 && (index.ownSteps[place]?.length ?? 0) === 0)
      return 0;
    return node.duration_minutes ?? measureSteps(index, place, operations);
  });
}

/** Longest path through the steps; those on a cycle count singly. */
function measureSteps(index: OutlineIndex, place: number, operations: Operations): number {
  const own = index.ownSteps[place] ?? [];
  const ends = new Map<number, number>();
  let total = 0;
  for (const number of sortSteps(index, place)) {
    const step = index.steps[number];
    if (step === undefined) continue;
    const minutes =
      step.draft.duration_minutes ??
      assumedMinutes[operations.asksPerson(step.draft) ? 'person' : 'machine'];
    const begins = predecessorsOf(index, number).reduce(
      (latest, before) => Math.max(latest, ends.get(before) ?? 0),
      0,
    );
    ends.set(number, begins + minutes);
    total = Math.max(total, begins + minutes);
  }
  return own.length === 0 ? 0 : total;
}

export function predecessorsOf(index: OutlineIndex, step: number): number[] {
  const found = index.steps[step];
  if (found === undefined) return [];
  const ids = [...dependenciesOf(found.draft).map(({ id }) => id), ...sourcesOf(found.draft)];
  return ids.flatMap((id) => {
    const place = index.stepPlaces.get(id);
    return place !== undefined && index.steps[place]?.node === found.node && place !== step
      ? [place]
      : [];
  });
}

/** Steps on a cycle come last, as listed. */
export function sortSteps(index: OutlineIndex, place: number): number[] {
  const own = index.ownSteps[place] ?? [];
  const unmet = new Map<number, number>();
  const next = new Map<number, number[]>();
  for (const step of own) {
    const before = new Set(predecessorsOf(index, step));
    unmet.set(step, before.size);
    for (const other of before) {
      const followers = next.get(other);
      if (followers) followers.push(step);
      else next.set(other, [step]);
    }
  }
  const sorted = own.filter((step) => unmet.get(step) === 0);
  for (let at = 0; at < sorted.length; at++) {
    for (const step of next.get(sorted[at] ?? -1) ?? []) {
      const left = (unmet.get(step) ?? 0) - 1;
      unmet.set(step, left);
      if (left === 0) sorted.push(step);
    }
  }
  if (sorted.length === own.length) return sorted;
  const done = new Set(sorted);
  return [...sorted, ...own.filter((step) => !done.has(step))];
}

type StepTimes = {
  /** ISO 8601, for first steps by number. */
  starts: Map<number, string>;
  /** Minutes, for steps that state none. */
  durations: Map<number, number>;
};

/** @param schedule null: stated moments apply @param firsts a node's first steps */
export function timeSteps(
  index: OutlineIndex,
  schedule: Schedule | null,
  firsts: (place: number) => number[],
): StepTimes {
  const times: StepTimes = { starts: new Map(), durations: new Map() };
  const holding: Pick<ScheduleBlock, 'node' | 'starts_at'>[] =
    schedule?.blocks.filter(({ holds }) => holds) ??
    index.nodes.flatMap(({ id, not_before }) =>
      not_before === null ? [] : [{ node: id, starts_at: not_before }],
    );
  for (const { node, starts_at } of holding) {
    const place = index.places.get(node);
    if (place === undefined || seriesOf(index, place) !== -1) continue;
    const earliest = index.nodes[place]?.not_before ?? null;
    const start =
      earliest !== null && Date.parse(earliest) === Date.parse(starts_at) ? earliest : starts_at;
    for (const step of firsts(place)) keepLater(times.starts, index, step, start);
  }
  index.nodes.forEach((node, place) => {
    if (node.duration_minutes !== null) shareDuration(index, place, node.duration_minutes, times);
  });
  return times;
}

function keepLater(
  starts: Map<number, string>,
  index: OutlineIndex,
  step: number,
  start: string,
): void {
  const other = starts.get(step) ?? index.steps[step]?.draft.not_before;
  if (other === undefined || Date.parse(other) < Date.parse(start)) starts.set(step, start);
}

/** Splits the node's duration equally along its longest path. */
function shareDuration(
  index: OutlineIndex,
  place: number,
  minutes: number,
  { durations }: StepTimes,
): void {
  const own = index.ownSteps[place] ?? [];
  const isOpen = (step: number) => index.steps[step]?.draft.duration_minutes === undefined;
  if (own.length === 0 || !own.every(isOpen)) return;
  const ranks = new Map<number, number>();
  for (const step of sortSteps(index, place)) {
    const before = predecessorsOf(index, step).map((other) => ranks.get(other) ?? 0);
    ranks.set(step, 1 + Math.max(0, ...before));
  }
  let longest = 1;
  for (const rank of ranks.values()) longest = Math.max(longest, rank);
  for (const step of own) durations.set(step, Math.round((minutes / longest) * 100) / 100);
}

type Named = Pick<StepDraft, 'tool' | 'operation'>;

export type Operations = {
  /** Or asks a person to; unknown operations count. */
  changes(step: Named): boolean;
  asksPerson(step: Named): boolean;
  /** Destructive, or guarded by the settings. */
  isDelicate(step: Named): boolean;
  /** `argument` takes the question. */
  question: { spec: OperationSpec; argument: string } | null;
};

export function readOperations(
  manifest: OperationSpec[],
  guarded: readonly string[] = [],
): Operations {
  const specs = new Map(manifest.map((spec) => [spec.name, spec]));
  const guards = new Set(guarded);
  const find = ({ tool, operation }: Named) => specs.get(operationName(tool, operation));
  return {
    changes: (step) => find(step)?.effect !== 'read',
    asksPerson: (step) => find(step)?.human === true,
    isDelicate: (step) =>
      find(step)?.destructive === true || guards.has(operationName(step.tool, step.operation)),
    question: findQuestion(manifest),
  };
}

/** Needs exactly one required argument, a text. */
function findQuestion(manifest: OperationSpec[]): Operations['question'] {
  for (const spec of manifest) {
    if (spec.human !== true) continue;
    const { required, properties } = spec.input;
    const [argument, ...more]: unknown[] = Array.isArray(required) ? required : [];
    if (typeof argument !== 'string' || more.length > 0) continue;
    const field = isObject(properties) ? properties[argument] : undefined;
    if (isObject(field) && field.type === 'string') return { spec, argument };
  }
  return null;
}

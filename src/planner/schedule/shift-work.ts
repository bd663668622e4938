// Compares a schedule with reality: late work and broken promises.
import { isSamePerson } from '#domain/people/names.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule, ScheduleBlock } from '#domain/planning/schedule.ts';
import type { BrokenPromise, MovedWork, Shift } from '#domain/planning/shift.ts';
import { type PassInput, runForwardPass, type TimedNode } from '#timeline/forward-pass.ts';
import {
  type Interval,
  minuteMs,
  openWorkingTime,
  workingMinutesWithin,
} from '#timeline/working-time.ts';
import {
  buildTimeModel,
  isOwnWork,
  ownerOf,
  type PeopleOfWork,
  placeOfWork,
  type SharedCapacity,
} from './time-model.ts';

/** Epoch milliseconds. */
export type Progress = {
  started: number | null;
  /** Null while a step can still run. */
  ended: number | null;
  /** Latest start its steps wait for. */
  notBefore: number | null;
};

export type ShiftContext = PeopleOfWork &
  SharedCapacity & {
    outline: PlanOutline;
    roadmap: Roadmap;
    schedule: Schedule;
    daysOff: readonly string[];
    busy: ReadonlyMap<string, readonly Interval[]>;
    now: number;
  };

/** Below, it is no shift: steps wait briefly for a worker. */
const leastShiftMs = 5 * minuteMs;

const spanOf = ({ starts_at, ends_at }: ScheduleBlock): Interval => ({
  from: Date.parse(starts_at),
  to: Date.parse(ends_at),
});

/** Takes its actual time. */
function placeBegun(node: TimedNode, { started, ended }: Progress, length: number, now: number) {
  const from = started ?? ended ?? now;
  const to = ended ?? Math.max(now, from + length);
  const minutes = Math.max(0, to - from) / minuteMs;
  return { ...node, minutes, person: null, release: null, fixed: from };
}

/** The schedule, and the same with progress. */
function makeInputs(context: ShiftContext, progress: ReadonlyMap<string, Progress>) {
  const { outline, roadmap, schedule, daysOff, busy, now } = context;
  const { profile, timezone, blocks } = schedule;
  const model = buildTimeModel(outline, roadmap, { ...context, buffer: profile.buffer });
  const own = new Map(blocks.map((block) => [block.node, block]));
  const blockOf = ({ id }: TimedNode) => (isOwnWork(id) ? own.get(ownerOf(id)) : undefined);
  const time = openWorkingTime(profile, timezone);
  const nodes = model.nodes.map((node): TimedNode => {
    const block = blockOf(node);
    if (block === undefined) return node;
    const span = spanOf(block);
    if (block.fixed) return { ...node, fixed: span.from, release: null };
    // Only such work may stay outside working hours.
    const isWhole = span.to - span.from === node.minutes * minuteMs;
    const anyHour = isWhole && workingMinutesWithin(time, span) < node.minutes;
    return { ...node, release: span.from, anyHour };
  });
  const { edges, capacity } = model;
  const common = { edges, capacity, minutesADay: profile.minutes_a_day };
  const planned: PassInput = {
    ...common,
    nodes,
    busy: new Map(),
    now: Math.min(now, ...blocks.map((block) => spanOf(block).from)),
    time,
  };
  const days_off = [...new Set([...profile.days_off, ...daysOff])];
  const actual: PassInput = {
    ...common,
    nodes: nodes.map((node) => {
      const block = blockOf(node);
      const done = progress.get(ownerOf(node.id));
      if (done === undefined || !isOwnWork(node.id)) return node;
      const length = block === undefined ? 0 : spanOf(block).to - spanOf(block).from;
      if (done.started !== null || done.ended !== null) return placeBegun(node, done, length, now);
      if (node.fixed !== null || done.notBefore === null) return node;
      return { ...node, release: Math.max(node.release ?? now, done.notBefore) };
    }),
    busy,
    now,
    time: openWorkingTime({ ...profile, days_off }, timezone),
  };
  return { model, own, planned, actual };
}

/** Nothing starts earlier than scheduled. */
export function shiftWork(context: ShiftContext, progress: ReadonlyMap<string, Progress>): Shift {
  const { model, own, planned, actual } = makeInputs(context, progress);
  const [before, after] = [runForwardPass(planned), runForwardPass(actual)];
  if (before.kind !== 'placed' || after.kind !== 'placed') return { moved: [], broken: [] };
  const moved: MovedWork[] = [];
  const broken: BrokenPromise[] = [];
  const iso = (at: number) => new Date(at).toISOString();
  for (const { id, node, person } of model.work) {
    const block = own.get(id);
    const place = placeOfWork(after.places, id);
    const usual = placeOfWork(before.places, id);
    if (block === undefined || place === undefined || usual === undefined) continue;
    if (progress.get(id)?.ended != null || node.recurs !== null) continue;
    const span = spanOf(block);
    const later = Math.max(
      place.from - Math.max(span.from, usual.from),
      place.to - Math.max(span.to, usual.to),
    );
    if (later < leastShiftMs) continue;
    const { title } = node;
    moved.push({ node: id, title, ends_at: block.ends_at, moved_to: iso(place.to) });
    const begun = progress.get(id)?.started != null;
    if (person !== null && !isSamePerson(person, context.user) && !begun)
      broken.push({ node: id, title, kind: 'person', who: person, limit: block.starts_at });
  }
  const usual = new Set(before.late.map(({ node, kind }) => `${kind} ${node}`));
  for (const { kind, node, limit } of after.late) {
    const id = ownerOf(node);
    const found = model.index.nodes[model.index.places.get(id) ?? -1];
    const done = progress.get(id);
    const isOver = kind === 'deadline' ? done?.ended != null : done?.started != null;
    if (found === undefined || isOver || kind === 'clash' || usual.has(`${kind} ${node}`)) continue;
    broken.push({ node: id, title: found.title, kind, who: null, limit: iso(limit) });
  }
  return { moved, broken };
}

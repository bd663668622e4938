// Validates a schedule: precedence, deadlines, working hours, overlaps.
import { sayMinutes } from '#cards/times.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule, ScheduleBlock } from '#domain/planning/schedule.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { boundOf } from '#timeline/forward-pass.ts';
import { findOverload, type Load } from '#timeline/load.ts';
import {
  type Interval,
  mergeIntervals,
  minuteMs,
  openWorkingTime,
  type WorkingTime,
  workingMinutesWithin,
  workingTimeWithin,
} from '#timeline/working-time.ts';
import { indexOutline, type OutlineIndex } from '../outline/outline-tree.ts';
import { toMs } from './time-model.ts';
import { sayMoment, sayNode } from './time-words.ts';

/** Epoch milliseconds. */
type Placed = Interval & { block: ScheduleBlock; place: number };

const maxShown = 100;

export function validateSchedule(
  outline: PlanOutline,
  roadmap: Pick<Roadmap, 'edges'>,
  schedule: Schedule,
): Violation[] {
  if (schedule.blocks.length === 0) return [];
  const index = indexOutline(outline);
  const time = openWorkingTime(schedule.profile, schedule.timezone);
  const placed: Placed[] = [];
  const broken: Violation[] = [];
  for (const block of schedule.blocks) {
    const place = index.places.get(block.node);
    const [from, to] = [Date.parse(block.starts_at), Date.parse(block.ends_at)];
    if (place === undefined)
      broken.push(violation('unknown_node', null, `There is no ${block.node} in the outline.`));
    else if (to < from)
      broken.push(
        violation('ends_first', block.node, `${sayNode(index, block.node)} ends before it begins.`),
      );
    else placed.push({ block, place, from, to });
  }
  const zone = schedule.timezone;
  const idle = checkHours(index, placed, time);
  const outside = new Set(idle.map(({ node }) => node));
  const within = placed.filter(({ block }) => !outside.has(block.node));
  return [
    ...broken,
    ...checkPrecedence(index, roadmap, placed, zone),
    ...checkDeadlines(index, placed, zone),
    ...idle,
    ...checkPeople(index, within, time),
  ].slice(0, maxShown);
}

function violation(code: string, node: string | null, text: string): Violation {
  return { code, node, text, blocking: true };
}

type Span = Interval & { whole: boolean };

/** `whole`: all work has times. */
function measureSpans(index: OutlineIndex, placed: Placed[]): (Span | undefined)[] {
  const own = new Map(placed.map((one) => [one.place, one]));
  const spans: (Span | undefined)[] = index.nodes.map(() => undefined);
  for (const place of index.order.toReversed()) {
    const parts = (index.children[place] ?? []).map((child) => spans[child]);
    const mine = own.get(place);
    const inside = [...parts.filter((part) => part !== undefined), ...(mine ? [mine] : [])];
    if (inside.length === 0) continue;
    const works = (index.nodes[place]?.steps.length ?? 0) > 0;
    spans[place] = {
      from: Math.min(...inside.map(({ from }) => from)),
      to: Math.max(...inside.map(({ to }) => to)),
      whole: parts.every((part) => part?.whole === true) && (!works || mine !== undefined),
    };
  }
  return spans;
}

function checkPrecedence(
  index: OutlineIndex,
  { edges }: Pick<Roadmap, 'edges'>,
  placed: Placed[],
  timezone: string,
): Violation[] {
  const spans = measureSpans(index, placed);
  return edges.flatMap((edge) => {
    const before = spans[index.places.get(edge.from) ?? -1];
    const next = spans[index.places.get(edge.to) ?? -1];
    if (before === undefined || next === undefined) return [];
    const atEnd = edgeEnds[edge.type].toFinish;
    // Without times, the end can still move.
    if (atEnd && !next.whole) return [];
    const bound = boundOf(edge, before);
    const moment = atEnd ? next.to : next.from;
    if (moment >= bound) return [];
    const [what, other] = [sayNode(index, edge.to), sayNode(index, edge.from)];
    return [
      violation(
        'precedence',
        edge.to,
        `${what} ${atEnd ? 'ends' : 'begins'} ${sayMoment(moment, timezone)}, ${sayMinutes((bound - moment) / minuteMs)} before ${other} allows it.`,
      ),
    ];
  });
}

function checkDeadlines(index: OutlineIndex, placed: Placed[], timezone: string): Violation[] {
  return placed.flatMap(({ block, place, to }) => {
    for (let at = place; at !== -1; at = index.parents[at] ?? -1) {
      const limit = toMs(index.nodes[at]?.deadline);
      if (limit === null || to <= limit) continue;
      const whose =
        at === place
          ? 'its deadline'
          : `the deadline of ${sayNode(index, index.nodes[at]?.id ?? '')}`;
      return [
        violation(
          'deadline',
          block.node,
          `${sayNode(index, block.node)} ends ${sayMoment(to, timezone)}, ${sayMinutes((to - limit) / minuteMs)} after ${whose}.`,
        ),
      ];
    }
    return [];
  });
}

/** A stated moment holds even outside working hours. */
function checkHours(index: OutlineIndex, placed: Placed[], time: WorkingTime): Violation[] {
  return placed.flatMap(({ block, place, from, to }) => {
    if (block.person === null || block.fixed) return [];
    const needed = index.nodes[place]?.duration_minutes ?? 0;
    const wanted = Math.min(needed, (to - from) / minuteMs);
    const worked = workingMinutesWithin(time, { from, to: Math.max(to, from + 1) });
    if (worked > 0 && worked >= wanted - 0.02) return [];
    return [
      violation(
        'working_hours',
        block.node,
        `${sayNode(index, block.node)} lies ${sayMoment(from, time.timezone)}, outside the working hours of ${block.person}.`,
      ),
    ];
  });
}

function checkPeople(index: OutlineIndex, placed: Placed[], time: WorkingTime): Violation[] {
  const byPerson = Map.groupBy(
    placed.filter(({ block }) => block.person !== null),
    ({ block }) => block.person ?? '',
  );
  return [...byPerson].flatMap(([person, own]) => {
    const loads: Load[] = own.map(({ block, place, from, to }) => {
      const span = to - from;
      const needed = index.nodes[place]?.duration_minutes;
      const length =
        block.fixed || needed === null || needed === undefined ? null : needed * minuteMs;
      return { id: block.node, from, to, length: length === null ? span : Math.min(length, span) };
    });
    const busy = loads.filter(({ length }) => length > 0);
    const [first] = busy;
    if (first === undefined) return [];
    const all = busy.reduce(
      (sum, { from, to }) => ({ from: Math.min(sum.from, from), to: Math.max(sum.to, to) }),
      { from: first.from, to: first.to },
    );
    const available = mergeIntervals([
      ...workingTimeWithin(time, all),
      ...own.flatMap(({ block, from, to }) => (block.fixed ? [{ from, to }] : [])),
    ]);
    return findOverload(busy, available).map(({ id, from }) =>
      violation(
        'overlap',
        id,
        `${sayNode(index, id)} does not fit: ${person} has something else ${sayMoment(from, time.timezone)}.`,
      ),
    );
  });
}

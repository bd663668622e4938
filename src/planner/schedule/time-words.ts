// Times, durations and infeasible schedules in words.
import { Temporal } from 'temporal-polyfill';
import { writeMoment } from '#cards/moves.ts';
import { sayMinutes, tellSpan } from '#cards/times.ts';
import { sayInHours } from '#domain/length.ts';
import { findMove, type StepMove } from '#domain/planning/artifacts.ts';
import type { Infeasibility } from '#domain/planning/schedule.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf, listSome, shorten } from '#domain/words.ts';
import type { Lateness, Pass } from '#timeline/forward-pass.ts';
import { formatLimit, formatMoment } from '#timeline/recurrence.ts';
import type { Remedy } from '#timeline/relaxations.ts';
import type { Interval } from '#timeline/working-time.ts';
import type { OutlineIndex } from '../outline/outline-tree.ts';
import { ownerOf } from './time-model.ts';

/** `Mon, 4 May 2026, 09:30` */
export function sayMoment(at: number, timezone: string): string {
  return formatMoment(new Date(at), timezone);
}

/** `Thu 3 Dec, 09:00 – Mon 7 Dec, 12:00` */
export function sayPeriod({ from, to }: Interval, timezone: string, now: Date): string {
  const [start, end] = [from, to].map((at) => new Date(Math.round(at)).toISOString());
  const reading = { now: now.toISOString(), viewer: { user: 'model', timezone } };
  return tellSpan(start ?? '', end ?? '', reading, ' – ');
}

/** `Sat, 14 Mar 2026` */
function sayDate(date: string): string {
  return formatMoment(new Date(`${date}T12:00:00Z`), 'UTC').replace(/, \d\d:\d\d$/, '');
}

/** `“Review”`, with the ID if ambiguous. */
export function sayNode({ nodes, places }: OutlineIndex, id: string): string {
  const title = nodes[places.get(id) ?? -1]?.title;
  if (title === undefined) return quoteWords(id, 200);
  const name = quoteWords(title.replaceAll(/["“”]/g, "'"), 80);
  // A goal may share its task's title.
  const same = nodes.filter((node) => node.title === title && node.structure !== 'goal');
  return same.length > 1 || title.length > 80 ? `${name} (${id})` : name;
}

/** `earliest`: end of each node in any order. */
type Found = Extract<Pass, { kind: 'placed' }> & { earliest: ReadonlyMap<string, number> };

export function describeInfeasible(
  index: OutlineIndex,
  found: Found,
  remedies: readonly Remedy[],
  timezone: string,
  buffer: number,
): Infeasibility {
  const { late } = found;
  const [first] = late;
  const more = late.length - 1;
  const reason = [
    ...(first === undefined ? [] : [describeLateness(index, first, found, timezone)]),
    ...(more > 0 ? [`${countOf(more, 'more time')} can't be met either.`] : []),
  ].join(' ');
  return {
    reason: shorten(reason, 1000),
    relaxations: remedies
      .flatMap((remedy) => describeRemedy(index, remedy, timezone, buffer))
      .slice(0, 10),
  };
}

function describeLateness(
  index: OutlineIndex,
  { kind, node, limit, by }: Lateness,
  { drivers, places, earliest }: Found,
  timezone: string,
): string {
  const name = sayNode(index, ownerOf(node));
  const length = sayMinutes(by / 60_000);
  switch (kind) {
    case 'deadline': {
      const end = places.get(node)?.to ?? limit + by;
      const bound = earliest.get(node) ?? end;
      const after = `${sayMoment(end, timezone)}, ${length} after its deadline (${formatLimit(new Date(limit), timezone)})`;
      return bound >= end
        ? `${name} can’t end earlier than ${after}.`
        : `${name} ends ${after}, and can’t end earlier than ${sayMoment(bound, timezone)}.`;
    }
    case 'fixed': {
      const driver = drivers.get(node);
      const whom = driver?.kind === 'edge' ? ownerOf(driver.from) : null;
      const because = whom === null ? 'that has passed' : `it waits for ${sayNode(index, whom)}`;
      return `${name} is fixed at ${sayMoment(limit, timezone)}, ${length} too early: ${because}.`;
    }
    case 'clash':
      return `${name} is fixed at ${sayMoment(limit, timezone)}, where the same person has something else for ${length} more.`;
    default:
      return kind satisfies never;
  }
}

/** `step "2"`; null unless exactly one. */
function nameStep({ nodes, places }: OutlineIndex, node: string | null): string | null {
  const [step, ...more] = nodes[places.get(node ?? '') ?? -1]?.steps ?? [];
  return step?.id === undefined || step.id.includes('"') || more.length > 0
    ? null
    : `step "${step.id}"`;
}

const roundUp = (at: number) => Math.ceil(at / 60_000) * 60_000;

function describeRemedy(
  index: OutlineIndex,
  remedy: Remedy,
  timezone: string,
  buffer: number,
): Infeasibility['relaxations'] {
  const about = (node: string | null, change: (step: string) => string) => {
    const step = nameStep(index, node);
    return { node, ...(step === null ? {} : { change: change(step) }) };
  };
  switch (remedy.kind) {
    case 'deadlines': {
      const nodes = remedy.nodes.slice(0, 3);
      const texts = nodes.map(
        ({ id, to }) =>
          `the deadline of ${sayNode(index, ownerOf(id))} to ${sayMoment(roundUp(to), timezone)}`,
      );
      // Moving only some would not help.
      if (remedy.nodes.length > nodes.length) return [];
      const [only] = remedy.nodes;
      const node = remedy.nodes.length === 1 && only !== undefined ? ownerOf(only.id) : null;
      const label =
        only === undefined || node === null
          ? `Move ${countOf(nodes.length, 'deadline')}`
          : `Move the deadline to ${sayMoment(roundUp(only.to), timezone)}`;
      const to = new Date(roundUp(only?.to ?? 0)).toISOString();
      const change = (step: string) =>
        `move the deadline of ${step} to ${writeMoment(to, timezone)}`;
      return [{ ...about(node, change), text: shorten(`Move ${listOf(texts)}.`, 500), label }];
    }
    case 'release': {
      const node = ownerOf(remedy.node);
      const text = `Let ${sayNode(index, node)} start as soon as it can.`;
      const change = (step: string) => `start ${step} as soon as possible`;
      return [{ ...about(node, change), text, label: 'Start as soon as possible' }];
    }
    case 'days_on': {
      const dates = remedy.dates.map(sayDate);
      return [
        {
          node: null,
          text: `Work on ${listOf(dates)}.`,
          label: `Work on ${listSome(dates, 1, 'day')}`,
        },
      ];
    }
    case 'shorten': {
      const node = ownerOf(remedy.node);
      const minutes = Math.max(1, Math.floor(remedy.minutes / (1 + buffer)));
      const length = sayInHours(minutes);
      const text = `Give ${sayNode(index, node)} ${length}.`;
      const change = (step: string) => `${step} takes ${length}`;
      return [{ ...about(node, change), text, label: `Allow only ${length}` }];
    }
    default:
      return remedy satisfies never;
  }
}

/** `2026-03-02 09:30`, local. */
export function printMoment(iso: string, timezone: string): string {
  const moment = Temporal.Instant.from(iso).toZonedDateTimeISO(timezone);
  return `${moment.toPlainDate().toString()} ${moment.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}

/** `move`: null if none is near or several steps are involved. */
export type ShownConflict = { text: string; move: StepMove | null };

export function tellConflicts({
  outline,
  portfolio,
  schedule,
  timezone,
}: Pick<PlanningState, 'outline' | 'portfolio' | 'schedule' | 'timezone'>): ShownConflict[] {
  const titles = new Map(outline?.nodes.map(({ id, title }) => [id, title]));
  return (portfolio?.conflicts ?? []).map((conflict) => {
    const { node, with: other, starts_at, shift_to } = conflict;
    const say = (moment: string) => sayMoment(Date.parse(moment), timezone);
    const room = shift_to === null ? 'There is no room near' : `There is room on ${say(shift_to)}`;
    const title = titles.get(node) ?? node;
    return {
      text: `${quoteWords(title, 200)} overlaps ${other} on ${say(starts_at)}. ${room}.`.slice(
        0,
        1000,
      ),
      move: findMove(conflict, { outline, schedule, timezone }),
    };
  });
}

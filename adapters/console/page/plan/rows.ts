// Timeline rows: steps, or groups with one open.
import type { ShownStep } from '#domain/plan/call.ts';
import type { GroupBy, PlanGroups, StepGroup } from '#domain/plan/groups.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Forecast } from '#domain/planning/forecast.ts';

import { formatDuration } from './format.ts';
import { describeGroup, heatOf, heatWords, nameGroup } from './groups.ts';
import type { StepLabels } from './step-labels.ts';
import {
  describeRow,
  layOutTimeline,
  lengthOf,
  momentOf,
  type Row,
  readTimes,
  type Span,
} from './timeline.ts';
import { describeStep } from './words.ts';

export type Bar = Span & {
  kind: 'actual' | 'scheduled' | 'expected' | 'assumed';
  failed: boolean;
};

export type OpenedGroup = {
  by: GroupBy;
  key: string;
  steps: ShownStep[];
  next_cursor: string | null;
  /** Timeline only. */
  times: Forecast['steps'];
};

export type Marks = { critical: ReadonlySet<string>; conflicts: ReadonlySet<string> };

export type ChartRow = {
  id: string;
  kind: 'step' | 'group' | 'member';
  symbol: string;
  tone: string;
  /** Step number; empty for a group. */
  name: string;
  label: string;
  /** For screen readers. */
  text: string;
  length: string;
  bars: Bar[];
  critical: boolean;
  /** Meets something else in a person's time. */
  conflicts: boolean;
};

function barsOf({ step, actual, expected, scheduled, assumed }: Row): Bar[] {
  const failed = step.status === 'failed';
  const kind = scheduled ? 'scheduled' : assumed ? 'assumed' : 'expected';
  return [
    ...(expected === null ? [] : [{ ...expected, kind, failed: false } satisfies Bar]),
    ...(actual === null ? [] : [{ ...actual, kind: 'actual', failed } satisfies Bar]),
  ];
}

export function rowOfStep(
  row: Row,
  kind: 'step' | 'member',
  { name, marks, workingDay }: { name: string; marks: Marks; workingDay: number | null },
): ChartRow {
  const { symbol, tone } = describeStep(row.step.status);
  const { label, text } = describeRow(row, workingDay);
  const critical = marks.critical.has(row.step.id);
  const conflicts = marks.conflicts.has(row.step.id);
  return {
    id: row.step.id,
    kind,
    symbol,
    tone,
    name,
    label,
    text: [
      text,
      ...(critical ? ['decides when the plan ends'] : []),
      ...(conflicts ? ['overlaps something else'] : []),
    ].join('; '),
    length: lengthOf(row, workingDay),
    bars: barsOf(row),
    critical,
    conflicts,
  };
}

function spanOf(from: string, to: string): Span {
  const start = Date.parse(from);
  return { start, end: Math.max(start, Date.parse(to)) };
}

type Basis = Forecast['critical']['basis'];

/** By what the times are based on. */
const expectedBy = { schedule: 'scheduled', durations: 'expected', order: 'assumed' } as const;

/** Up to now, then to the expected end. */
function barsOfGroup(group: StepGroup, basis: Basis, now: number): Bar[] {
  const { started_at, ended_at, expected, counts } = group;
  const kind = expectedBy[basis];
  if (started_at === null) {
    if (expected === null) return [];
    return [{ ...spanOf(expected.starts_at, expected.ends_at), kind, failed: false }];
  }
  const ran: Bar = {
    ...spanOf(started_at, ended_at ?? new Date(now).toISOString()),
    kind: 'actual',
    failed: ended_at !== null && counts.failed > 0,
  };
  const end = expected === null ? ran.end : Date.parse(expected.ends_at);
  return end <= ran.end ? [ran] : [{ start: ran.start, end, kind, failed: false }, ran];
}

function rowOfGroup(group: StepGroup, by: PlanGroups['by'], basis: Basis, now: number): ChartRow {
  const heat = heatOf(group.counts);
  const bars = barsOfGroup(group, basis, now);
  const [bar] = bars;
  const when =
    bar === undefined
      ? ''
      : `; ${group.started_at === null ? 'expected' : 'began'} ${momentOf(bar.start)}`;
  const length = bar === undefined ? '' : formatDuration(bar.end - bar.start);
  const decides = group.critical > 0 ? '; decides when the plan ends' : '';
  return {
    id: group.key,
    kind: 'group',
    symbol: heatWords[heat].symbol,
    tone: heat,
    name: '',
    label: `${nameGroup(by, group.key)} · ${describeGroup(group)}`,
    text: `${when}${length === '' ? '' : `, ${length}`}${decides}`.replace(/^; /, ''),
    length,
    bars,
    critical: group.critical > 0,
    conflicts: false,
  };
}

/** By beginning; the open group's steps follow it. */
export function rowsOfGroups(
  { by, groups }: PlanGroups,
  opened: OpenedGroup | null,
  context: {
    status: Plan['status'];
    basis: Basis;
    now: number;
    marks: Marks;
    names: StepLabels;
    workingDay: number | null;
  },
): ChartRow[] {
  const { status, basis, now, marks, names, workingDay } = context;
  const beginOf = ({ started_at, expected, first }: StepGroup) =>
    Date.parse(started_at ?? expected?.starts_at ?? '9999-01-01') + first / 1e6;
  const ordered = groups.toSorted((a, b) => beginOf(a) - beginOf(b));
  return ordered.flatMap((group) => {
    const row = rowOfGroup(group, by, basis, now);
    if (opened?.key !== group.key) return [row];
    const { rows } = layOutTimeline(opened.steps, status, now, readTimes({ steps: opened.times }));
    const steps = opened.times.length === 0 ? [] : rows;
    return [
      row,
      ...steps.map((one) =>
        rowOfStep(one, 'member', {
          name: names.get(one.step.id) ?? String(one.step.position),
          marks,
          workingDay,
        }),
      ),
    ];
  });
}

export function spanOfRows(rows: ChartRow[], now: number): Span {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const { bars } of rows) {
    for (const bar of bars) {
      start = Math.min(start, bar.start);
      end = Math.max(end, bar.end);
    }
  }
  if (!Number.isFinite(start)) start = now;
  return { start, end: Math.max(end, start + 1) };
}

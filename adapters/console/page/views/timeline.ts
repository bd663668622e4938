// Timeline: ran (solid), scheduled (outlined), estimated (dashed).
// Widths are shares of the track, so nothing is measured.
import { repeat } from 'lit-html/directives/repeat.js';
import type { Plan } from '#domain/plan/plan.ts';
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from '../lit.ts';
import { maxDrawn, toggleGroup } from '../live/drawings.ts';
import type { Card, PlanView, State } from '../live/state.ts';
import { formatTime, zone } from '../plan/format.ts';
import { markedSteps } from '../plan/groups.ts';
import {
  type Bar,
  type ChartRow,
  type Marks,
  rowOfStep,
  rowsOfGroups,
  spanOfRows,
} from '../plan/rows.ts';
import { labelKnownSteps, type StepLabels } from '../plan/step-labels.ts';
import { placeAxis, restBetween, type Tick } from '../plan/time-axis.ts';
import { isTimed, layOutTimeline, momentOf, readTimes, type Span } from '../plan/timeline.ts';
import { drawConflicts } from './conflicts.ts';
import { drawCritical } from './drawing.ts';
import { drawGroupings, drawMore, drawRest } from './groups.ts';
import { drawEmpty, drawLoading } from './parts.ts';
import { drawRoadmap } from './roadmap.ts';

/** Moment to percent of the track. */
type Scale = (time: number) => number;

const percent = (share: number) => `${share.toFixed(3)}%`;

function drawBar({ kind, failed, start, end }: Bar, scale: Scale): SVGTemplateResult {
  const x = scale(start);
  // Keeps short bars visible.
  const width = Math.max(0.8, scale(end) - x);
  return svg`<rect class="span" data-kind=${kind} data-status=${failed ? 'failed' : ''} x=${percent(x)} width=${percent(width)} y="5" height="14" rx="4" />`;
}

function drawRow(row: ChartRow, scale: Scale, opened: string | null): TemplateResult {
  const { id, kind, symbol, tone, label, text, length, bars, critical } = row;
  const name = html`<span class="badge-symbol" aria-hidden="true">${symbol}</span>
    ${row.name === '' ? nothing : html`<span class="gantt-number">${row.name}</span>`}
    <span class="gantt-name">${label}</span>
    ${critical ? html`<span class="critical-mark" aria-hidden="true">◆</span>` : nothing}
    ${row.conflicts ? html`<span class="conflict-mark" aria-hidden="true">△</span>` : nothing}
    <span class="visually-hidden">${text}</span>`;
  return html`<li class="gantt-row" data-row=${kind} title=${`${label}: ${text}`}>
    ${
      kind === 'group'
        ? html`<button class="gantt-label" data-tone=${tone} aria-expanded=${opened === id} @click=${() => void toggleGroup(id)}>${name}</button>`
        : html`<span class="gantt-label" data-tone=${tone}>${name}</span>`
    }
    <svg class="track" height="24" aria-hidden="true">${bars.map((bar) => drawBar(bar, scale))}</svg>
    <span class="gantt-length">${length}</span>
  </li>`;
}

function describeStart(start: number, rows: ChartRow[], status: Plan['status']): string {
  const kind = rows.flatMap(({ bars }) => bars).find((bar) => bar.start === start)?.kind;
  if (kind === 'actual') return `From ${momentOf(start)}`;
  if (kind === 'scheduled') return `From ${formatTime(new Date(start).toISOString())}`;
  return status === 'proposed' || status === 'needs_review' ? 'From the approval' : 'From now';
}

type Chart = {
  rows: ChartRow[];
  span: Span;
  /** Clock times. */
  dated: boolean;
  timed: boolean;
};

/** Ticks, rest and now, behind the rows. */
function drawBack(
  ticks: Tick[],
  rest: { from: number; to: number }[],
  now: number | null,
  scale: Scale,
) {
  return html`<li class="gantt-row gantt-back" aria-hidden="true">
    <span></span>
    <svg class="track" height="100%">
      ${rest.map(({ from, to }) => svg`<rect class="rest" x=${percent(scale(from))} width=${percent(scale(to) - scale(from))} y="0" height="100%" />`)}
      ${ticks.map(({ at }) => svg`<line class="tick" x1=${percent(scale(at))} x2=${percent(scale(at))} y1="0" y2="100%" />`)}
      ${now === null ? nothing : svg`<line class="now" x1=${percent(scale(now))} x2=${percent(scale(now))} y1="0" y2="100%" />`}
    </svg>
    <span></span>
  </li>`;
}

function drawAxis(
  { rows, span }: Chart,
  { ticks, now, scale }: { ticks: Tick[]; now: number | null; scale: Scale },
  status: Plan['status'],
): TemplateResult {
  const isNear = (at: number) => now !== null && Math.abs(scale(at) - scale(now)) < 9;
  return html`<li class="gantt-row gantt-axis" aria-hidden="true">
    <span class="gantt-start">${describeStart(span.start, rows, status)}</span>
    <svg class="track" height="20">
      ${ticks
        .filter(({ at }) => !isNear(at))
        .map(
          ({
            at,
            label,
          }) => svg`<text class="tick-label" y="13" text-anchor=${scale(at) < 8 ? 'start' : scale(at) > 92 ? 'end' : 'middle'}
            x=${percent(scale(at))}>${label}</text>`,
        )}
      ${now === null ? nothing : svg`<text class="tick-label now-label" y="13" text-anchor=${scale(now) < 8 ? 'start' : scale(now) > 92 ? 'end' : 'middle'} x=${percent(scale(now))}>Now</text>`}
    </svg>
    <span></span>
  </li>`;
}

function drawChart(
  chart: Chart,
  view: PlanView,
  status: Plan['status'],
  now: number,
): TemplateResult {
  const { rows, span, dated, timed } = chart;
  // Room at the end.
  const end = span.end + (span.end - span.start) * 0.02;
  const scale: Scale = (time) => ((time - span.start) / (end - span.start)) * 100;
  const ticks = timed ? placeAxis(span.start, end, dated, 5) : [];
  const schedule = view.forecast?.schedule ?? null;
  const working = schedule?.working.map(({ from, to }) => ({
    from: Date.parse(from),
    to: Date.parse(to),
  }));
  const rest = dated && working !== undefined ? restBetween(working, span.start, end) : [];
  const present = dated && now > span.start && now < end ? now : null;
  return html`<ol class="gantt">
    ${drawBack(ticks, rest, present, scale)}
    ${ticks.length === 0 ? nothing : drawAxis(chart, { ticks, now: present, scale }, status)}
    ${repeat(
      rows,
      ({ kind, id }) => `${kind} ${id}`,
      (row) => drawRow(row, scale, view.opened?.key ?? null),
    )}
  </ol>`;
}

function drawKeys({ rows }: Chart, hasRest: boolean): TemplateResult {
  const bars = rows.flatMap((row) => row.bars);
  const has = (kind: Bar['kind']) => bars.some((bar) => bar.kind === kind && !bar.failed);
  const keys: [boolean, string, string][] = [
    [has('actual'), 'actual', 'ran'],
    [bars.some(({ failed }) => failed), 'failed', 'failed'],
    [has('scheduled'), 'scheduled', 'scheduled'],
    [has('expected'), 'expected', 'estimate'],
    [has('assumed'), 'assumed', 'estimate, no duration given'],
    [hasRest, 'rest', 'no working time'],
  ];
  return html`<p class="hint">
    ${keys.map(([shown, kind, words]) => (shown ? html`<span class="key-item"><span class="key" data-kind=${kind}></span>${words}</span>` : nothing))}
  </p>`;
}

/** If it matters. */
function describeZone({ forecast }: PlanView, dated: boolean): string {
  if (!dated || forecast?.schedule == null) return '';
  const { timezone, working } = forecast.schedule;
  if (working.length === 0) return '';
  const own = `Times are in ${zone()}`;
  return timezone === zone() ? `${own}.` : `${own}; working time is that of ${timezone}.`;
}

function chartOf(view: PlanView, card: Card, names: StepLabels, now: number): Chart | null {
  const { plan, working_day_minutes: workingDay } = card.facts;
  const marks: Marks = {
    critical: new Set(markedSteps(view.forecast)),
    conflicts: new Set(card.facts.moves?.map(({ step }) => step)),
  };
  const hasBegun = plan.execution_started_at !== null;
  if (plan.total_steps > maxDrawn) {
    if (view.groups === null || view.forecast === null) return null;
    const { basis } = view.forecast.critical;
    const context = { status: plan.status, basis, now, marks, names, workingDay };
    const rows = rowsOfGroups(view.groups, view.opened, context);
    const timed =
      basis !== 'order' || rows.some(({ bars }) => bars.some(({ kind }) => kind === 'actual'));
    const dated = hasBegun || basis === 'schedule';
    return { rows, span: spanOfRows(rows, now), dated, timed };
  }
  if (view.drawn === null || view.forecast === null) return null;
  const { steps } = view.drawn;
  const timeline = layOutTimeline(steps, plan.status, now, readTimes(view.forecast));
  const rows = timeline.rows.map((row) =>
    rowOfStep(row, 'step', {
      name: names.get(row.step.id) ?? String(row.step.position),
      marks,
      workingDay,
    }),
  );
  const isDated = timeline.rows.some(
    ({ actual, scheduled, step }) => actual !== null || scheduled || step.not_before !== null,
  );
  return { rows, span: spanOfRows(rows, now), dated: isDated, timed: isTimed(timeline) };
}

export function drawTimeline(state: State, view: PlanView, card: Card): TemplateResult {
  const now = Date.now();
  const { plan } = card.facts;
  const names = labelKnownSteps(card, view);
  const chart = chartOf(view, card, names, now);
  if (chart === null) return drawLoading();
  if (chart.rows.length === 0)
    return drawEmpty('No steps', 'This plan has no steps to place in time.');
  if (chart.rows.every(({ bars }) => bars.length === 0))
    return drawEmpty('Nothing ran', 'This plan ended before any of its steps began.');
  const grouped = plan.total_steps > maxDrawn ? view.groups : null;
  const opened = grouped?.groups.find(({ key }) => key === view.opened?.key);
  const notes = [
    chart.timed ? '' : 'No step states a duration, so this shows only the order.',
    describeZone(view, chart.dated),
  ].filter((note) => note !== '');
  const hasRest = chart.dated && (view.forecast?.schedule?.working.length ?? 0) > 0;
  return html`
    ${grouped === null ? nothing : drawGroupings(grouped)} ${drawCritical(view, card, names)}
    ${notes.length === 0 ? nothing : html`<p class="note">${notes.join(' ')}</p>`}
    ${drawConflicts(state, card)} ${drawChart(chart, view, plan.status, now)}
    ${view.opened?.next_cursor == null || grouped === null ? nothing : drawMore(view.opened, opened)}
    ${grouped === null ? nothing : drawRest(grouped)}
    ${drawKeys(chart, hasRest)}
    ${drawRoadmap(view.forecast?.roadmap ?? null)}
  `;
}

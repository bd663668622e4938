// Timeline: when each step ran (solid), is scheduled (outlined) or is expected by an estimate (dashed). Widths are shares of the track,
// so that the drawing fits any column without being measured.
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit-html';
import type { Plan } from '#domain/plan/plan.ts';
import type { Card, PlanView } from '../live/state.ts';
import { countOf, formatDuration, formatTime } from '../plan/format.ts';
import {
  describeRow,
  isTimed,
  layOutTimeline,
  lengthOf,
  momentOf,
  placeTicks,
  type Row,
  type Span,
  type Timeline,
} from '../plan/timeline.ts';
import { describeStep } from '../plan/words.ts';
import { drawEmpty, drawLoading } from './parts.ts';

/** A moment's place on the track, in percent. */
type Scale = (time: number) => number;

const percent = (share: number) => `${share.toFixed(3)}%`;

function drawBar(
  kind: 'actual' | 'scheduled' | 'expected',
  row: Row,
  span: Span,
  scale: Scale,
): SVGTemplateResult {
  const x = scale(span.start);
  // What takes no time that shows at this scale is still seen.
  const width = Math.max(2, scale(span.end) - x);
  return svg`<rect class="span" data-kind=${kind} data-assumed=${row.assumed}
    data-status=${row.step.status} x=${percent(x)} width=${percent(width)} y="5" height="14" rx="4" />`;
}

function drawRow(
  row: Row,
  ticks: number[],
  scale: Scale,
  workingDay: number | null,
): TemplateResult {
  const { step, actual, expected, scheduled } = row;
  const { symbol, tone } = describeStep(step.status);
  const { label, text } = describeRow(row, workingDay);
  return html`<li class="gantt-row" title=${`${label}: ${text}`}>
    <span class="gantt-label" data-tone=${tone}
      ><span class="badge-symbol" aria-hidden="true">${symbol}</span>
      <span class="gantt-name">${label}</span>
      <span class="visually-hidden">${text}</span></span
    >
    <svg class="track" height="24" aria-hidden="true">
      ${ticks.map((x) => svg`<line class="tick" x1=${percent(x)} x2=${percent(x)} y1="-6" y2="30" />`)}
      ${expected === null ? nothing : drawBar(scheduled ? 'scheduled' : 'expected', row, expected, scale)}
      ${actual === null ? nothing : drawBar('actual', row, actual, scale)}
    </svg>
    <span class="gantt-length">${lengthOf(row, workingDay)}</span>
  </li>`;
}

function describeStart({ rows, start }: Timeline, status: Plan['status']): string {
  if (rows.some(({ actual }) => actual?.start === start)) return `From ${momentOf(start)}`;
  if (rows.some((row) => row.scheduled && row.expected?.start === start)) {
    return `From ${formatTime(new Date(start).toISOString())}`;
  }
  const due = rows.find(({ step }) => Date.parse(step.not_before ?? '') === start);
  if (due?.step.not_before != null) return `From ${formatTime(due.step.not_before)}`;
  return status === 'proposed' || status === 'needs_review' ? 'From the approval' : 'From now';
}

function drawAxis(
  timeline: Timeline,
  offsets: number[],
  scale: Scale,
  status: Plan['status'],
): TemplateResult {
  return html`<li class="gantt-row gantt-axis" aria-hidden="true">
    <span class="gantt-start">${describeStart(timeline, status)}</span>
    <svg class="track" height="20">
      ${offsets
        .filter((offset) => offset > 0)
        .map(
          (offset) => svg`<text class="tick-label" y="13" text-anchor="middle"
            x=${percent(scale(timeline.start + offset))}>+${formatDuration(offset)}</text>`,
        )}
    </svg>
    <span></span>
  </li>`;
}

function drawChart(
  timeline: Timeline,
  { plan, working_day_minutes }: Card['facts'],
): TemplateResult {
  const { rows, start, end } = timeline;
  const scale: Scale = (time) => ((time - start) / (end - start)) * 100;
  const offsets = isTimed(timeline) ? placeTicks(end - start, 4) : [];
  const ticks = offsets.map((offset) => scale(start + offset));
  return html`<ol class="gantt">
    ${offsets.length === 0 ? nothing : drawAxis(timeline, offsets, scale, plan.status)}
    ${rows.map((row) => drawRow(row, ticks, scale, working_day_minutes))}
  </ol>`;
}

const isEstimate = ({ expected, scheduled }: Row) => expected !== null && !scheduled;

function drawKeys({ rows }: Timeline): TemplateResult {
  const has = (test: (row: Row) => boolean) => rows.some(test);
  const keys: [boolean, string, string][] = [
    [has(({ actual, step }) => actual !== null && step.status !== 'failed'), 'actual', 'ran'],
    [has(({ actual, step }) => actual !== null && step.status === 'failed'), 'failed', 'failed'],
    [has(({ expected, scheduled }) => expected !== null && scheduled), 'scheduled', 'scheduled'],
    [has((row) => isEstimate(row) && !row.assumed), 'expected', 'estimate'],
    [has((row) => isEstimate(row) && row.assumed), 'assumed', 'estimate, no duration given'],
  ];
  return html`<p class="hint">
    ${keys.map(([shown, kind, words]) => (shown ? html`<span class="key-item"><span class="key" data-kind=${kind}></span>${words}</span>` : nothing))}
  </p>`;
}

export function drawTimeline(view: PlanView, { facts }: Card): TemplateResult {
  if (view.drawn === null) return drawLoading();
  const { steps, complete, schedule } = view.drawn;
  if (steps.length === 0) return drawEmpty('No steps', 'This plan has no steps to place in time.');
  const timeline = layOutTimeline(steps, facts.plan.status, Date.now(), schedule);
  if (timeline.rows.every(({ actual, expected }) => actual === null && expected === null)) {
    return drawEmpty('Nothing ran', 'This plan ended before any of its steps began.');
  }
  const notes = [
    complete ? '' : `The first ${steps.length} of ${countOf(facts.plan.total_steps, 'step')}.`,
    isTimed(timeline) ? '' : 'No step states a duration, so this shows only the order.',
  ].filter((note) => note !== '');
  return html`
    ${notes.length === 0 ? nothing : html`<p class="note">${notes.join(' ')}</p>`}
    ${drawChart(timeline, facts)} ${drawKeys(timeline)}
  `;
}

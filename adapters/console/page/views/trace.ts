// Trace: how the planner arrived, stage by stage.
import { type TraceLine, type TraceNote, type TraceStage, viewTrace } from '#cards/trace-view.ts';
import { capitalise } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import type { PlanView } from '../live/state.ts';
import { formatMoment } from '../plan/format.ts';
import { drawEmpty, drawLoading } from './parts.ts';

const columns = ['Step', 'Took', 'Cost', 'Confidence', 'Result'];

function drawNotes(notes: TraceNote[]): TemplateResult | typeof nothing {
  if (notes.length === 0) return nothing;
  return html`<ul class="trace-notes">
    ${notes.map(
      ({ symbol, tone, text }) => html`<li data-tone=${tone}>
        <span class="trace-symbol" aria-hidden="true">${symbol}</span><span>${text}</span>
      </li>`,
    )}
  </ul>`;
}

/** Absent facts take no room. */
function drawFact(fact: string): TemplateResult {
  return html`<td class="number" ?data-none=${fact === ''}>${fact || '–'}</td>`;
}

function drawName({ symbol, state, tone, name, at }: TraceLine): TemplateResult {
  return html`<th scope="row" data-tone=${tone} title=${formatMoment(at)}>
    <span class="trace-symbol" aria-hidden="true">${symbol}</span
    ><span class="visually-hidden">${state}: </span><code>${name}</code>
  </th>`;
}

function drawLine(line: TraceLine): TemplateResult {
  const { took, cost, confidence, text, notes } = line;
  return html`<tr class="trace-line">
    ${drawName(line)} ${[took, cost, confidence].map(drawFact)}
    <td class="wide">${text}${drawNotes(notes)}</td>
  </tr>`;
}

function drawDecision({ name, tone, symbol, at, took, text }: TraceLine): TemplateResult {
  const facts = [took, text].filter((fact) => fact !== '').join(' · ');
  return html`<tr class="trace-line">
    <th scope="row" class="wide" data-tone=${tone} colspan=${columns.length}>
      <span class="trace-symbol" aria-hidden="true">${symbol}</span><strong>${capitalise(name)}</strong>,
      <time datetime=${at}>${formatMoment(at)}</time>
      <span class="muted">${facts}</span>
    </th>
  </tr>`;
}

function drawEnd({ end }: TraceStage): TemplateResult | typeof nothing {
  if (end === null) return nothing;
  const sure = end.confidence === '' ? '' : ` · confidence ${end.confidence}`;
  return html`<tr class="trace-end">
    <td colspan=${columns.length}>${capitalise(end.text)}${sure}${drawNotes(end.notes)}</td>
  </tr>`;
}

function drawStage(stage: TraceStage, turns: number): TemplateResult {
  const turn = turns > 1 ? [`Turn ${stage.turn}`] : [];
  const began = formatMoment(stage.at);
  const facts = [...turn, began, ...stage.facts].join(' · ');
  return html`<tbody>
    <tr class="trace-stage">
      <th scope="rowgroup" colspan=${columns.length}>
        ${stage.title} <span class="muted">${facts}</span>
      </th>
    </tr>
    ${stage.lines.map((line) => (line.decided ? drawDecision(line) : drawLine(line)))}
    ${drawEnd(stage)}
  </tbody>`;
}

export function drawTrace({ trace }: PlanView): TemplateResult {
  if (trace === null) return drawLoading();
  const { planner, reason, stages, turns, totals, warnings, empty } = viewTrace(trace);
  const sum = totals === '' ? nothing : html`<br />In all: ${totals}.`;
  const intro = html`<p class="note">
      Planner: ${planner}.${reason === '' ? '' : ` ${capitalise(reason)}.`}${sum}
    </p>
    ${warnings.map((text) => html`<p class="trace-warning"><span aria-hidden="true">! </span>${text}</p>`)}`;
  if (empty !== '') return html`${intro}${drawEmpty('No trace', empty)}`;
  return html`${intro}
    <div class="table-scroll" tabindex="0">
      <table class="table trace">
        <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        ${stages.map((stage) => drawStage(stage, turns))}
      </table>
    </div>`;
}

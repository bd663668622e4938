// Trace: how the planner came to this plan, stage by stage.
import { html, type TemplateResult } from 'lit-html';
import type { TraceEntry } from '#contracts/run.ts';
import type { PlanView } from '../live/state.ts';
import { capitalise, formatCost, formatDuration, formatMoment } from '../plan/format.ts';
import { drawEmpty, drawLoading } from './parts.ts';

function drawEntry(entry: TraceEntry): TemplateResult {
  return html`<tr>
    <td><time datetime=${entry.at}>${formatMoment(entry.at)}</time></td>
    <td>${entry.ok ? '✓' : '✕'} ${entry.stage}</td>
    <td><code>${entry.tool}</code></td>
    <td class="number">${formatDuration(entry.duration_ms)}</td>
    <td class="number">${entry.confidence === null ? '–' : entry.confidence.toFixed(2)}</td>
    <td class="number">${entry.cost_delta === 0 ? '–' : formatCost(entry.cost_delta)}</td>
    <td class="wide">${entry.explanation}</td>
  </tr>`;
}

export function drawTrace({ trace }: PlanView): TemplateResult {
  if (trace === null) return drawLoading();
  const { planner, reason, entries } = trace;
  const intro = html`<p class="note">
    Planner: ${planner}.${reason === null ? '' : ` ${capitalise(reason)}.`}
  </p>`;
  if (entries.length === 0) {
    return html`${intro}${drawEmpty('No trace', 'This plan was proposed as it stands; no planner drafted it.')}`;
  }
  const names = ['When', 'Stage', 'Tool', 'Took', 'Confidence', 'Cost', 'Why'];
  return html`${intro}
    <div class="table-scroll" tabindex="0">
      <table class="table">
        <thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${entries.map(drawEntry)}</tbody>
      </table>
    </div>`;
}

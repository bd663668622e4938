// The compared roadmap options and the choice.
import { describeRisks, nameWay } from '#cards/words.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import type { RoadmapOption } from '#domain/planning/roadmap.ts';
import { quoteWords, showTitle } from '#domain/shown-text.ts';
import { capitalise } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { formatDuration } from '../plan/format.ts';
import { drawSection } from './parts.ts';

function drawOption({ name, differs, metrics }: RoadmapOption, chosen: boolean): TemplateResult {
  const { makespan_minutes: minutes, width } = metrics;
  return html`<tr data-chosen=${chosen}>
    <th scope="row">
      ${chosen ? html`<span aria-hidden="true">●</span> ` : html`<span aria-hidden="true">○</span> `}${showTitle(capitalise(nameWay(name)), 200)}
      ${chosen ? html`<span class="mark">chosen</span>` : nothing}
    </th>
    <td class="wide">${quoteWords(differs, 2000)}</td>
    <td>${minutes > 0 ? `about ${formatDuration(minutes * 60_000)}` : 'Not stated'}</td>
    <td>${width < 2 ? 'one' : width.toLocaleString()}</td>
    <td class="wide">${describeRisks(metrics).join(', ') || 'None seen'}</td>
  </tr>`;
}

/** Nothing if there was only one. */
export function drawRoadmap(roadmap: Forecast['roadmap']): TemplateResult | typeof nothing {
  if (roadmap === null || roadmap.options.length < 2) return nothing;
  const heads = ['Option', 'What it means', 'Takes', 'At once', 'Risk'];
  return drawSection(
    'Options compared',
    html`<div class="table-scroll" tabindex="0">
        <table class="table options">
          <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${roadmap.options.map((one) => drawOption(one, one.name === roadmap.chosen))}</tbody>
        </table>
      </div>
      ${roadmap.reason === '' ? nothing : html`<p class="note why"><strong>Why:</strong> ${quoteWords(roadmap.reason, 2000)}</p>`}`,
  );
}

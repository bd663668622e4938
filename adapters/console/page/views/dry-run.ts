// The result of a dry run.
import { viewDryRun } from '#cards/dry-run.ts';
import type { Simulation } from '#domain/service.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { drawLead } from './parts.ts';

export function drawDryRun(simulation: Simulation, at: string): TemplateResult {
  const { sum, problems, rows } = viewDryRun(simulation, at);
  return html`<div role="status">
    <p>${sum}</p>
    ${problems.map((problem) => html`<p class="field-missing">${problem}</p>`)}
    <ul class="lines">
      ${rows.map(
        ({ lead, text, note }) => html`<li>
          <span class="lead">${drawLead(lead)}</span><span>${text}${note === '' ? nothing : html` · <span class="muted">${note}</span>`}</span>
        </li>`,
      )}
    </ul>
  </div>`;
}

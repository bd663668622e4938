// Audit: who did what with this plan, when, by which way, and why.
import { html, type TemplateResult } from 'lit-html';
import type { AuditEntry } from '#domain/plan/views.ts';
import type { PlanView } from '../live/state.ts';
import { formatMoment } from '../plan/format.ts';
import { describeKind } from '../plan/words.ts';
import { drawEmpty, drawLoading } from './parts.ts';

/** Why, or at least about which step. */
function describeReason({ reason, data }: AuditEntry): string {
  const step = typeof data?.step === 'string' ? `Step ${data.step}` : null;
  return [step, reason].filter((part) => part !== null).join(': ') || '–';
}

function drawEntry(entry: AuditEntry): TemplateResult {
  return html`<tr>
    <td><time datetime=${entry.at}>${formatMoment(entry.at)}</time></td>
    <td>${entry.actor}${entry.actor_kind === 'person' ? '' : html` <span class="muted">${entry.actor_kind}</span>`}</td>
    <td>${describeKind(entry.action)}</td>
    <td>${entry.via}</td>
    <td class="number">${entry.version ?? '–'}</td>
    <td class="wide">${describeReason(entry)}</td>
  </tr>`;
}

export function drawAudit({ audit }: PlanView): TemplateResult {
  if (audit === null) return drawLoading();
  if (audit.length === 0)
    return drawEmpty('No entries', 'Decisions about this plan are listed here.');
  const names = ['When', 'Who', 'What', 'Via', 'Version', 'Reason'];
  return html`<div class="table-scroll" tabindex="0">
    <table class="table">
      <thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${audit.map(drawEntry)}</tbody>
    </table>
  </div>`;
}

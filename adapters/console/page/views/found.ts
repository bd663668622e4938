// What was found wrong with a plan, and the data that was gathered for it and by it.
import { html, nothing, type TemplateResult } from 'lit-html';
import { describeHeld, describeProgress, severityWords } from '#cards/finding-words.ts';
import type { Finding } from '#domain/plan/finding.ts';
import { formatMoment } from '../plan/format.ts';
import { drawBadge, drawSection } from './parts.ts';

const closed: Partial<Record<Finding['status'], string>> = {
  resolved: 'settled',
  dismissed: 'dismissed',
};

/** Who settled it and when, or what is being done about it. */
function describeEnd(finding: Finding): string {
  const end = closed[finding.status];
  if (end === undefined) return describeProgress(finding);
  const when = finding.settled_at === null ? '' : `, ${formatMoment(finding.settled_at)}`;
  return finding.settled_by === null ? end : `${end} by ${finding.settled_by}${when}`;
}

function drawFinding(finding: Finding): TemplateResult {
  const { severity, message, evidence, created_at, status } = finding;
  const { symbol, words, tone } = severityWords[severity];
  const open = closed[status] === undefined;
  const facts = [open ? describeHeld(finding) : '', describeEnd(finding)].filter(
    (text) => text !== '',
  );
  const texts = evidence.flatMap(({ text }) => text ?? []);
  return html`<li data-open=${open}>
    <p>${drawBadge(symbol, words, open ? tone : 'default')} ${message}</p>
    ${texts.length === 0 ? nothing : html`<ul class="muted">${texts.map((text) => html`<li>${text}</li>`)}</ul>`}
    <p class="muted"><time datetime=${created_at}>${formatMoment(created_at)}</time>${facts.map((text) => ` · ${text}`)}</p>
  </li>`;
}

export function drawFindings(findings: Finding[]): TemplateResult | typeof nothing {
  if (findings.length === 0) return nothing;
  return drawSection('Problems', html`<ul class="findings">${findings.map(drawFinding)}</ul>`);
}

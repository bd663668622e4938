// A plan's findings and data.
import { describeHeld, describeProgress, severityWords } from '#cards/finding-words.ts';
import type { Artifact } from '#domain/plan/artifact.ts';
import type { ReportTrace } from '#domain/plan/draftbook.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { DataRequest } from '#domain/planning/data-request.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { loadMoreArtifacts, toggleReport } from '../live/plans.ts';
import type { PlanView } from '../live/state.ts';
import { formatMoment } from '../plan/format.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { download } from './facts.ts';
import { drawBadge, drawIcon, drawSection } from './parts.ts';

const closed: Partial<Record<Finding['status'], string>> = {
  resolved: 'settled',
  dismissed: 'dismissed',
};

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

const kilobyte = 1024;

function formatSize(bytes: number): string {
  return bytes < kilobyte
    ? `${bytes} bytes`
    : `${Math.round(bytes / kilobyte).toLocaleString()} KB`;
}

/** Per sentence; the artifact has all. */
const stepsNamed = 10;

function drawSentences({ sentences, entries }: ReportTrace): TemplateResult {
  const stepsOf = new Map(entries.map(({ n, steps }) => [n, steps]));
  return html`<ol class="report">
    ${sentences.map(({ text, entries: named }) => {
      const steps = [...new Set(named.flatMap((n) => stepsOf.get(n) ?? []))];
      const more = steps.length - stepsNamed;
      const names = steps.slice(0, stepsNamed).join(', ');
      return html`<li>
        ${text}
        <span class="muted"
          >${steps.length === 0 ? 'names no source' : `from ${countOf(steps.length, 'step')}: ${names}${more > 0 ? ' …' : ''}`}</span
        >
      </li>`;
    })}
  </ol>`;
}

function drawArtifact(
  view: PlanView,
  { id, name, size, step_id }: Artifact,
  steps: StepLabels,
): TemplateResult {
  const isTrace = name.startsWith('trace-');
  const open = view.report?.artifact === id;
  const from = step_id === null ? 'read while planning' : `step ${steps.get(step_id) ?? step_id}`;
  return html`<li>
    <button class="download" @click=${() => void download(view.id, `artifacts/${id}`, name)}>
      ${drawIcon('down')}<span>${name}</span><span class="muted">${formatSize(size)} · ${from}</span>
    </button>
    ${isTrace ? html`<button class="quiet" aria-expanded=${open} @click=${() => void toggleReport(id)}>Where each sentence comes from</button>` : nothing}
    ${open && view.report !== null ? drawSentences(view.report.trace) : nothing}
  </li>`;
}

export function drawArtifacts(view: PlanView, steps: StepLabels): TemplateResult | typeof nothing {
  const { artifacts, next_cursor } = view.artifacts;
  if (artifacts.length === 0) return nothing;
  const more = html`<button class="quiet more" @click=${() => void loadMoreArtifacts()}>Show more</button>`;
  return drawSection(
    'Drafts and data',
    html`<ul class="artifacts">${artifacts.map((one) => drawArtifact(view, one, steps))}</ul>
      ${next_cursor === null ? nothing : more}`,
  );
}

const requestWords: Record<DataRequest['status'], string> = {
  open: 'being read',
  fulfilled: 'read',
  failed: 'could not be read',
};

/** Read for its planner. */
export function drawRequests({ requests }: PlanView): TemplateResult | typeof nothing {
  if (requests.length === 0) return nothing;
  const items = requests.map(
    ({ operation, purpose, status, summary }) =>
      html`<li>
        ${purpose} <span class="muted">${operation} · ${requestWords[status]}${summary === null ? '' : ` · ${summary}`}</span>
      </li>`,
  );
  return drawSection('Asked for while planning', html`<ul class="lines">${items}</ul>`);
}

// Details of one step.
import { boundsOf, headlineOf, wholeParts } from '#cards/calls.ts';
import { maxFullText } from '#cards/plain.ts';
import { describeRetry } from '#cards/words.ts';
import { sayLength } from '#domain/length.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Step } from '#domain/plan/plan.ts';
import { describeHandedOver, factsIn, isHandedOver, showResult } from '#domain/plan/step-words.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { formatJson, formatMoment, formatTime } from '../plan/format.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { statedLength } from '../plan/timeline.ts';
import { drawStepBadge } from './parts.ts';

const relations: Record<Dependency['type'], string> = {
  FS: '',
  SS: ' starts',
  FF: ' ends (to end)',
  SF: ' starts (to end)',
};

function describeAfter({ id, type, lag_minutes }: Dependency, names: StepLabels): string {
  const lag =
    lag_minutes === 0 ? '' : ` ${lag_minutes < 0 ? '−' : '+'} ${sayLength(Math.abs(lag_minutes))}`;
  return `${names.get(id) ?? id}${relations[type]}${lag}`;
}

function listFacts(step: Step, names: StepLabels, workingDay: number | null): [string, string][] {
  const facts = factsIn(step, {
    step: (id) => names.get(id) ?? id,
    time: formatTime,
    wait: (dependency) => describeAfter(dependency, names),
    length: () => statedLength(step, workingDay),
  });
  const rows: [string, string | null][] = [
    [
      'Effect',
      {
        read: 'Reads only',
        idempotent: 'Changes something; safe to repeat',
        write: 'Changes something; never repeated without your approval',
      }[step.effect],
    ],
    ['Attempts', step.attempt === 0 ? null : String(step.attempt)],
    ['Started', step.started_at === null ? null : formatMoment(step.started_at)],
    ['Ended', step.ended_at === null ? null : formatMoment(step.ended_at)],
    ['Planner’s reason', quoteWords(step.description, maxFullText)],
    ['Waiting for', describeHandedOver(step)],
    ['Question', step.question === null ? null : quoteWords(step.question, maxFullText)],
    ['Result', step.result_summary === null ? null : showResult(step, maxFullText)],
  ];
  const known = rows.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  return [...facts, ...known];
}

function drawJson(title: string, value: unknown): TemplateResult | typeof nothing {
  if (value === null || value === undefined) return nothing;
  return html`<h4>${title}</h4>
    <pre class="json" tabindex="0">${formatJson(value)}</pre>`;
}

function drawError(step: Step): string {
  const retry = describeRetry(step, formatMoment);
  const words = quoteWords(step.error?.message ?? '', maxFullText);
  return retry === null ? `✕ ${words}` : `↻ ${retry} · Error: ${words}`;
}

/** Line by line. */
function drawDifference(text: string): TemplateResult {
  const lines = text.split('\n');
  return html`<pre class="json difference">${lines.map(
    (line) => html`<span data-sign=${/^[+\-−]/.exec(line)?.[0] ?? ''}>${line}</span>`,
  )}</pre>`;
}

/** Arguments that are not in the headline. */
function drawCall({ call }: ShownStep): TemplateResult | typeof nothing {
  if (call.parts.length === 0) return nothing;
  return html`<dl class="call">
    ${wholeParts(call).map(
      ({ label, text, inline, aid }) => html`<div data-inline=${inline}>
        <dt>${label}</dt>
        <dd>${inline ? text : aid === true ? drawDifference(text) : html`<pre class="json" tabindex="0">${text}</pre>`}</dd>
      </div>`,
    )}
  </dl>`;
}

/** Limits an approver must know. */
export function listLimits(step: ShownStep, names: StepLabels): string[] {
  return [
    ...boundsOf(step, (id) => names.get(id) ?? id, formatTime),
    ...(step.after.length === 0
      ? []
      : [`after ${step.after.map((edge) => describeAfter(edge, names)).join(', ')}`]),
  ];
}

/** @param titled with the step's own line @param body default: its call's values @param workingDay minutes */
export function drawStepDetails(
  step: ShownStep,
  names: StepLabels,
  {
    titled,
    body,
    workingDay,
  }: { titled: boolean; body?: TemplateResult | typeof nothing; workingDay: number | null },
): TemplateResult {
  return html`<div class="step-details">
    ${titled ? html`<p class="step-title"><strong>${headlineOf(step.call)}</strong> ${drawStepBadge(step.status)}</p>` : nothing}
    ${step.error === null ? nothing : html`<p class="step-error">${drawError(step)} <code>${step.error.code}</code></p>`}
    <dl class="facts">
      <div><dt>Id</dt><dd>${step.id}</dd></div>
      ${listFacts(step, names, workingDay).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    ${body ?? (step.call.parts.length > 0 ? html`<h4>What it sends</h4>${drawCall(step)}` : nothing)}
    ${drawJson('Output', isHandedOver(step) ? null : step.output)}
  </div>`;
}

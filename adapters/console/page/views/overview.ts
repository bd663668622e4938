// Overview: in one sentence what will be true, what it touches, how far it is, what waits, and the latest events.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Section } from '#cards/view.ts';
import type { Touch } from '#contracts/card.ts';
import type { Change } from '#contracts/views.ts';
import type { Card, PlanView, State } from '../live/state.ts';
import { countOf, formatMoment } from '../plan/format.ts';
import { nameSteps, type StepNames } from '../plan/step-names.ts';
import { describeKind } from '../plan/words.ts';
import { drawCard } from './card.ts';
import { drawDownloads, drawFacts } from './facts.ts';
import { drawIcon, drawSection } from './parts.ts';
import { drawProgress } from './progress.ts';

/** So many different targets are named at most; fewer are all there are. */
const namedAtMost = 3;

/** `a.md, b.md`, `a.md, 5 times`, `a.md, b.md, c.md and more, 23 times`; how often, where no target is known. */
function describeTargets({ targets, count }: Touch): string {
  if (targets.length === 0) return countOf(count, 'step');
  const names = targets.join(', ');
  if (targets.length === count) return names;
  return `${names}${targets.length < namedAtMost ? '' : ' and more'}, ${countOf(count, 'time')}`;
}

function drawTouch(touch: Touch): TemplateResult {
  const guard = html`<span class="guard" title="Never runs outside an approved plan"
    >${drawIcon('shield')} guarded</span
  >`;
  return html`<li class="touch">
    <code>${touch.operation}</code>
    <span class="targets">${describeTargets(touch)} ${touch.guarded ? guard : nothing}</span>
  </li>`;
}

function drawTouches(touches: Touch[]): TemplateResult {
  if (touches.length === 0) return html`<p class="muted">Reads only. Nothing is changed.</p>`;
  return html`<ul class="touches">${touches.map(drawTouch)}</ul>`;
}

function drawLines({ label, lines, more }: Section): TemplateResult {
  return drawSection(
    label,
    html`<ul class="lines">
      ${lines.map(
        ({ lead, text, note }) =>
          html`<li>
            <span class="lead">${lead}</span><span>${text}${note === '' ? nothing : html` · <span class="muted">${note}</span>`}</span>
          </li>`,
      )}
      ${more === '' ? nothing : html`<li class="muted">${more}</li>`}
    </ul>`,
  );
}

function drawEvent({ at, kind, step_id, detail }: Change, names: StepNames): TemplateResult {
  const step = step_id === null ? undefined : (names.get(step_id) ?? step_id);
  return html`<li>
    <time datetime=${at}>${formatMoment(at)}</time>
    <span
      >${describeKind(kind, step)}${detail === undefined ? nothing : html` <span class="muted">${detail}</span>`}</span
    >
  </li>`;
}

function drawEvents(view: PlanView, names: StepNames): TemplateResult {
  const events = view.overview?.recent_events ?? [];
  const newest = [...events].sort((a, b) => b.revision - a.revision);
  return html`<ol class="events">${newest.slice(0, 12).map((event) => drawEvent(event, names))}</ol>`;
}

/** Sections of the card that are said here too; the others have a part or a tab of their own. */
const shownHere = new Set<Section['kind']>([
  'blocked',
  'running',
  'next',
  'failed',
  'done',
  'left',
  'risks',
  'terms',
  'options',
]);

/** A card of another conversation can be decided about here; in its own it stands on the left. */
function drawOwnCard(state: State, { facts: { plan } }: Card): TemplateResult | typeof nothing {
  const spoken = state.messages.some((message) => message.plan_id === plan.id);
  return spoken || plan.conversation === state.conversation ? nothing : drawCard(state, plan.id);
}

function drawWaiting({ view: words }: Card): TemplateResult | typeof nothing {
  if (!words.state.open) return nothing;
  const [ask] = words.asks;
  return html`<div class="waiting" data-tone=${words.state.tone}>
    <strong>${ask?.label ?? words.state.words}</strong>
    <span
      >${ask?.text ?? (words.status === 'proposed' ? 'Nothing has run. Read the plan, then decide on its card.' : 'Decide on its card.')}</span
    >
  </div>`;
}

export function drawOverview(state: State, view: PlanView, card: Card): TemplateResult {
  const { facts, view: words } = card;
  const counts = view.overview?.counts ?? facts.plan.counts;
  const begun = facts.plan.execution_started_at !== null;
  const touches = drawSection('Touches', drawTouches(facts.touches));
  const said = words.sections.filter(({ kind }) => shownHere.has(kind)).map(drawLines);
  return html`
    ${words.sentence === '' ? nothing : html`<p class="sentence">${words.sentence}</p>`}
    ${drawWaiting(card)} ${drawOwnCard(state, card)}
    ${begun ? drawProgress(counts, facts.plan.total_steps, words.progress?.pace ?? '') : nothing}
    ${begun ? [...said, touches] : [touches, ...said]}
    ${drawSection('Facts', drawFacts(card))} ${drawSection('Latest events', drawEvents(view, nameSteps(card, view)))}
    ${drawSection('Files', drawDownloads(view.id))}
  `;
}

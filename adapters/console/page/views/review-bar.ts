// The bar under a plan: summary, open questions, decisions.
import { repeat } from 'lit-html/directives/repeat.js';
import { inputIdOf } from '#cards/input-ids.ts';
import { drawQuote } from '#cards/plain.ts';
import { describeRun } from '#cards/times.ts';
import type { Ask, Button } from '#cards/view.ts';
import { showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { comments } from '../live/comments.ts';
import { edits, proposeEdits } from '../live/edits.ts';
import { openTab } from '../live/focus.ts';
import { buttonKey, noteTyped, openForm, submit, typedIn } from '../live/forms.ts';
import { describePart, takenOffCard } from '../live/part.ts';
import type { Card, PlanView, State } from '../live/state.ts';
import { state as now } from '../live/store.ts';
import { describeBar } from '../plan/bar-words.ts';
import { drawForm, type FormOptions } from './review-form.ts';
import { openStepEdit } from './step-edit.ts';

type Drawn = TemplateResult | typeof nothing;

type Shown = { button: Button; label: string; off: boolean };

function isOpen({ form }: State, plan: string, { press }: Button): boolean {
  return form !== null && form.plan === plan && form.key === buttonKey(press);
}

/** Where its values are shown. */
async function editFailed(plan: string, stepId: string): Promise<void> {
  const card = now.cards.get(plan);
  const step = card?.facts.failed.find(({ id }) => id === stepId);
  if (card === undefined || step === undefined) return;
  openTab('steps');
  await openStepEdit(card, step, step.label);
}

function drawButton(state: State, plan: string, { button, label, off }: Shown): TemplateResult {
  const key = buttonKey(button.press);
  const opens = button.form !== null || button.confirm !== null;
  const busy = state.pressing.has(plan);
  const act = () => {
    if (busy) return;
    if (button.press.action === 'retry_edited') void editFailed(plan, button.press.step_id ?? '');
    else if (opens) openForm(plan, key);
    else void submit(plan, button);
  };
  return html`<button
    type="button"
    class=${button.style === 'primary' ? 'primary' : 'plain-button'}
    data-opens=${key}
    ?disabled=${off}
    aria-disabled=${busy}
    @click=${act}
  >
    ${label}
  </button>`;
}

const asIs = (button: Button): Shown => ({ button, label: button.label, off: false });

/** For guarded calls, and comments that would stay unsent. */
function askBeforeApproval(card: Card, { guard }: Button): Button['confirm'] {
  const { length } = comments.split(card).current;
  if (length === 0) return guard ?? null;
  const unsent = `${countOf(length, 'comment')} not sent yet. Propose changes sends ${length === 1 ? 'it' : 'them'}; Approve does not.`;
  return { text: [guard?.text ?? [], unsent].flat().join(' '), submit: 'Approve anyway' };
}

/** Primary last. If effects don't fit a card, Review leads to Steps, where it becomes Approve. */
function decisionsOf(state: State, view: PlanView, card: Card): Shown[] {
  const { plan } = card.facts;
  const part = describePart(state, card);
  const onSteps = view.tab === 'steps';
  const listed = view.list?.reviewed === plan.digest;
  return card.view.buttons
    .flatMap((button): Shown[] => {
      const { action } = button.press;
      const reviews = action === 'details' && button.style === 'primary';
      if (action === 'details' && !reviews) return [];
      // The overview has this button.
      if (action === 'save_playbook') return [];
      // The timeline has these buttons.
      if (action === 'reschedule' && view.tab === 'timeline') return [];
      if (action !== 'approve' && !(reviews && onSteps)) return [asIs(button)];
      // A waiting change has its own button.
      if (card.facts.patch === null && !card.facts.may_approve) return [];
      // Other versions' steps are never approved as these.
      if (edits.split(card).current.length > 0) return [];
      const off = part?.empty === true || (onSteps && !listed);
      const press = { ...button.press, action: 'approve' } as const;
      const approve: Button = {
        ...button,
        press,
        confirm: button.confirm ?? askBeforeApproval(card, button),
      };
      const run = describeRun(card.facts);
      // A repeating plan's count within the horizon says little.
      const all = run === null ? `Approve ${countOf(plan.total_steps, 'step')}` : 'Approve';
      const label = part?.words ?? all;
      const start = run === null ? '' : ` · ${run}`;
      const when = approve.press.passed === undefined ? start : ' · starts now';
      return [{ button: approve, label: `${label}${when}`, off }];
    })
    .toReversed();
}

function drawNote(state: State, plan: string, { note, buttons }: Ask): Drawn {
  const done = buttons.find(({ press }) => press.action === 'human_done');
  if (note === null || done === undefined) return nothing;
  const id = inputIdOf(done.press);
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLTextAreaElement) noteTyped(plan, id, target.value);
  };
  return html`<textarea
    rows="1"
    aria-label=${note}
    placeholder=${note}
    maxlength="20000"
    .value=${typedIn(state, plan, id)}
    @input=${onInput}
  ></textarea>`;
}

/** Primary last. */
function drawAskButtons(state: State, plan: string, { buttons, fields }: Ask): TemplateResult {
  const opened = buttons.find((button) => isOpen(state, plan, button));
  if (opened !== undefined) return drawForm(state, plan, opened, { closes: true });
  const answer = fields.length === 0 ? undefined : buttons.find(({ form }) => form?.fields.length);
  const others = buttons.filter((button) => button !== answer);
  const drawn = others.toReversed().map((button) => drawButton(state, plan, asIs(button)));
  if (answer === undefined) return html`<div class="bar-buttons">${drawn}</div>`;
  return drawForm(state, plan, answer, { closes: false, extra: html`${drawn}` });
}

function drawAsk(state: State, plan: string, ask: Ask): TemplateResult {
  const { label, text, quotes, known } = ask;
  return html`<section class="bar-ask" aria-label=${label}>
    <p class="bar-ask-label">${label}</p>
    <p class="bar-ask-text">${text}</p>
    ${quotes.map((one) => html`<p>${drawQuote(one)}</p>`)}
    ${known.length === 0 ? nothing : html`<div class="bar-known" tabindex="0">${known.map((line) => html`<p>${line}</p>`)}</div>`}
    ${drawNote(state, plan, ask)} ${drawAskButtons(state, plan, ask)}
  </section>`;
}

function drawAsks(state: State, { view }: Card): Drawn {
  if (view.asks.length === 0) return nothing;
  const more =
    view.asks_more === 0 ? nothing : `${countOf(view.asks_more, 'more step')} wait for an answer.`;
  return html`<div class="bar-asks" tabindex="0">
    ${repeat(
      view.asks,
      ({ kind, step_id }) => `${kind} ${step_id}`,
      (ask) => drawAsk(state, view.plan_id, ask),
    )}
    ${more === nothing ? nothing : html`<p class="muted">${more}</p>`}
  </div>`;
}

function drawFacts(state: State, view: PlanView, card: Card): TemplateResult {
  const { head, facts } = describeBar(card, view.tab === 'overview');
  const { size } = takenOffCard(state, card);
  const { current } = comments.split(card);
  const changes = edits.split(card).current.length;
  const left = [
    ...(size === 0 ? [] : [`leaves out ${countOf(size, 'step')}`]),
    ...(current.length === 0 ? [] : [countOf(current.length, 'comment')]),
    ...(changes === 0
      ? []
      : [`propose or remove ${countOf(changes, 'change')} before you approve`]),
  ];
  return html`<p class="bar-facts">
    <strong>${head}</strong>${[...facts, ...left].map((fact) => html`<span>${fact}</span>`)}
  </p>`;
}

function commentsFor(card: Card, { press }: Button): Pick<FormOptions, 'before' | 'label'> {
  const { current } = comments.split(card);
  if (press.action !== 'propose_changes' || current.length === 0) return {};
  const list = html`<ul class="bar-comments">
    ${current.map(
      (one) => html`<li>
        <span><strong>${one.label}</strong> <span class="muted">${one.effect}</span><br />${showText(one.text)}</span>
        <button
          type="button"
          class="quiet"
          aria-label=${`Remove the comment on step ${one.label}`}
          @click=${() => comments.remove(press.plan_id, one)}
        >
          Remove
        </button>
      </li>`,
    )}
  </ul>`;
  return { before: list, label: 'Anything else? (optional)' };
}

/** Until sent, edits block approval. */
function drawProposeEdits(state: State, card: Card): Drawn {
  const { current } = edits.split(card);
  if (current.length === 0) return nothing;
  return html`<button
    type="button"
    class="primary"
    aria-disabled=${state.pressing.has(card.facts.plan.id)}
    @click=${() => void proposeEdits(card)}
  >
    Propose ${countOf(current.length, 'change')}
  </button>`;
}

function drawDecisions(state: State, view: PlanView, card: Card): TemplateResult {
  const shown = decisionsOf(state, view, card);
  const opened = shown.find(({ button }) => isOpen(state, view.id, button));
  if (opened !== undefined)
    return drawForm(state, view.id, opened.button, {
      closes: true,
      ...commentsFor(card, opened.button),
    });
  return html`<div class="bar-line">
    ${drawFacts(state, view, card)}
    <div class="bar-buttons">${shown.map((one) => drawButton(state, view.id, one))} ${drawProposeEdits(state, card)}</div>
  </div>`;
}

export function drawReviewBar(state: State, view: PlanView, card: Card): Drawn {
  const notice = state.notices.get(view.id);
  const { asks } = card.view;
  const buttons = card.view.buttons.filter(({ press }) => press.action !== 'save_playbook');
  if (buttons.length + asks.length === 0 && notice === undefined) return nothing;
  return html`<section class="review-bar" aria-label="Decide">
    ${notice === undefined ? nothing : html`<p class="notice" role="alert">${notice}</p>`}
    ${drawAsks(state, card)}
    ${buttons.length === 0 ? nothing : drawDecisions(state, view, card)}
  </section>`;
}

// The plan builder: palette or form, next to the growing review.
import { buildWords as words } from '#cards/build-words.ts';
import { describeEffect, headlineOf, marksOf, markWords } from '#cards/calls.ts';
import { type BuiltStep, gistOf, isRepeatRule, repeatRules } from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { OperationOffer } from '#domain/plan/operation-form.ts';
import { countOf, listOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  addStep,
  changePlan,
  choose,
  closeBuilder,
  fillIn,
  leaveForm,
  moveChoice,
  proposeBuilt,
  search,
} from '../live/builder.ts';
import { openPlaybooks } from '../live/playbooks.ts';
import type { Builder, State } from '../live/state.ts';
import { drawDialog } from './dialog.ts';
import { drawIcon, drawLoading } from './parts.ts';
import { drawStepBody } from './step-body.ts';
import { drawStepForm } from './step-form.ts';

function onSearchKey(event: KeyboardEvent): void {
  const keys: Record<string, () => void> = {
    ArrowDown: () => moveChoice(1),
    ArrowUp: () => moveChoice(-1),
    Enter: () =>
      document.querySelector<HTMLElement>('.operation-option[aria-selected="true"]')?.click(),
  };
  const act = event.isComposing ? undefined : keys[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function drawPalette({ find, build: { plan } }: Builder): TemplateResult {
  const { words: typed, found, at, busy, problem } = find;
  const option = (offer: OperationOffer, index: number) => html`<li
    class="operation-option"
    role="option"
    id=${`operation-${index}`}
    aria-selected=${index === at}
    @click=${() => void choose(offer)}
  >
    <span class="operation-gist">${gistOf(offer)}</span>
    <span class="operation-name"><code>${offer.name}</code> · ${describeEffect(offer)}</span>
  </li>`;
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLInputElement) void search(target.value);
  };
  return html`<div class="palette">
    <label class="bar-label" for="operation-search">${plan.steps.length === 0 ? words.first : words.next}</label>
    <input
      id="operation-search"
      type="text"
      role="combobox"
      autocomplete="off"
      spellcheck="false"
      aria-expanded="true"
      aria-controls="operation-results"
      aria-activedescendant=${found === null || found.length === 0 ? nothing : `operation-${at}`}
      placeholder=${words.search}
      autofocus
      .value=${typed}
      @input=${onInput}
      @keydown=${onSearchKey}
    />
    ${plan.steps.length > 0 ? nothing : html`<p><button type="button" class="link" @click=${() => void openPlaybooks()}>Or run a playbook</button></p>`}
    ${problem === null ? nothing : html`<p class="field-missing" role="alert">${problem}</p>`}
    ${
      found === null
        ? drawLoading()
        : html`<ul id="operation-results" role="listbox" aria-label="Operations" aria-busy=${busy}>${found.map(option)}</ul>
            ${found.length === 0 && problem === null ? html`<p class="muted">${words.noMatch}</p>` : nothing}`
    }
  </div>`;
}

const nameStep = ({ build }: Builder, id: string): string =>
  String(build.plan.steps.findIndex((one) => one.id === id) + 1);

function drawForm({ build, values }: Builder, step: BuiltStep): TemplateResult {
  const { steps } = build.plan;
  const at = steps.findIndex(({ id }) => id === step.id);
  const named = steps.map(({ id, form }, index) => ({
    ...{ id, label: String(index + 1), gist: gistOf(form), outputs: form.outputs },
  }));
  return drawStepForm('builder', {
    ...{ build, step, values },
    name: gistOf(step.form),
    others: named.filter(({ id }) => id !== step.id),
    sources: at < 0 ? named : named.slice(0, at),
    head: html`<header>
      <h3>${gistOf(step.form)}</h3>
      <p class="operation-name"><code>${step.form.name}</code> · ${describeEffect(step.form)}</p>
    </header>`,
    leave: { label: words.back, act: leaveForm },
    submit: { label: at < 0 ? words.add : words.save, act: addStep },
  });
}

function drawStepLine(
  state: State,
  builder: Builder,
  step: BuiltStep,
  shown: ShownStep | undefined,
): TemplateResult {
  const { plan } = builder.build;
  const name = nameStep(builder, step.id);
  const at = plan.steps.indexOf(step);
  const waits = step.after.map((id) => nameStep(builder, id));
  const names = new Map(plan.steps.map(({ id }) => [id, nameStep(builder, id)]));
  const act = (
    label: string,
    icon: Parameters<typeof drawIcon>[0],
    off: boolean,
    does: () => void,
  ) =>
    html`<button type="button" class="quiet icon-only" aria-label=${`${label} step ${name}`} title=${label} ?disabled=${off} @click=${does}>
      ${drawIcon(icon)}
    </button>`;
  return html`<li class="built-step" data-step=${step.id} data-open=${builder.build.step?.id === step.id}>
    <div class="built-head">
      <span class="step-number">${name}</span>
      <span class="step-what"
        ><span class="headline">${shown === undefined ? gistOf(step.form) : headlineOf(shown.call, new Date().toISOString())}</span>
        ${shown === undefined ? nothing : marksOf(shown.call).map((mark) => html`<span class="mark" data-mark=${mark}>${markWords[mark]}</span>`)}
        ${waits.length === 0 ? nothing : html`<span class="limits">after ${listOf(waits)}</span>`}
        ${step.at === '' ? nothing : html`<span class="limits">not before ${new Date(step.at).toLocaleString()}</span>`}
      </span>
      <span class="built-actions">
        ${act(words.edit, 'pen', false, () => fillIn({ kind: 'edit', step: step.id }))}
        ${act(words.up, 'up', at === 0, () => changePlan({ kind: 'move', step: step.id, by: -1 }))}
        ${act(words.down, 'below', at === plan.steps.length - 1, () => changePlan({ kind: 'move', step: step.id, by: 1 }))}
        ${act(words.remove, 'close', false, () => changePlan({ kind: 'remove', step: step.id }))}
      </span>
    </div>
    ${shown === undefined ? nothing : html`<div class="effect">${drawStepBody(state, shown, names, undefined)}</div>`}
  </li>`;
}

function drawRepeats({ build: { plan } }: Builder): TemplateResult {
  const options = Object.entries(repeatRules).map(([value, label]) => ({ value, label }));
  return html`<div class="built-terms">
    <label class="built-title"><span class="bar-label">Title <span class="muted">optional</span></span>
      <input type="text" maxlength="300" .value=${plan.title} @change=${({ target }: Event) => {
        if (target instanceof HTMLInputElement) changePlan({ kind: 'terms', title: target.value });
      }} /></label>
    <label><span class="bar-label">${words.repeats}</span>
      <select aria-label=${words.repeats} @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement && isRepeatRule(target.value))
          changePlan({ kind: 'terms', repeats: target.value });
      }}>
        ${options.map(({ value, label }) => html`<option value=${value} ?selected=${plan.repeats === value}>${label}</option>`)}
      </select></label>
    ${
      plan.repeats === ''
        ? nothing
        : html`<label><span class="bar-label">${words.from}</span>
            <input type="datetime-local" .value=${plan.from} @change=${({ target }: Event) => {
              if (target instanceof HTMLInputElement)
                changePlan({ kind: 'terms', from: target.value });
            }} /></label>`
    }
  </div>`;
}

function drawReview(state: State, builder: Builder): TemplateResult {
  const { build, card, problem, busy } = builder;
  const { plan } = build;
  if (plan.steps.length === 0)
    return html`<section class="built" aria-label="Review">
      <div class="empty">
        <p class="empty-title">Nothing in the plan yet</p>
        <p>Choose an operation and fill it in. What it will do is shown here, and nothing runs before it is approved.</p>
      </div>
    </section>`;
  const shown = new Map(
    (card?.facts.steps ?? []).map((step) => [step.id.split('#', 1)[0] ?? '', step]),
  );
  return html`<section class="built" aria-label="Review" aria-busy=${busy}>
    <header class="built-top">
      <h3>${countOf(plan.steps.length, 'step')}</h3>
      <button type="button" class="quiet" ?disabled=${build.before.length === 0} @click=${() => changePlan({ kind: 'undo' })}>${words.undo}</button>
    </header>
    ${problem === null ? nothing : html`<p class="notice" role="alert">${problem}</p>`}
    <ol>
      ${plan.steps.map((step) => drawStepLine(state, builder, step, shown.get(step.id)))}
    </ol>
    ${drawRepeats(builder)}
  </section>`;
}

/** Null if it can be proposed. */
function whyNot({ build: { plan, step }, problem }: Builder): string | null {
  if (plan.steps.length === 0) return 'Add a step first.';
  if (step !== null) return 'Finish or close the open step first.';
  if (plan.repeats !== '' && plan.from === '') return 'Set the first run.';
  return problem === null ? null : 'Fix the error first.';
}

export function drawBuilder(state: State): TemplateResult | typeof nothing {
  const { builder } = state;
  if (builder === null) return nothing;
  const why = whyNot(builder);
  const status = why ?? 'Nothing runs before it is approved.';
  return drawDialog({
    id: 'builder',
    title: words.title,
    close: closeBuilder,
    body: html`<div class="builder">
      <div class="builder-left">${builder.build.step === null ? drawPalette(builder) : drawForm(builder, builder.build.step)}</div>
      ${drawReview(state, builder)}
    </div>`,
    foot: html`<span role="status">${status}</span>
      <button type="button" class="primary" ?disabled=${why !== null} aria-disabled=${builder.sending} @click=${() => void proposeBuilt()}>
        Propose ${builder.build.plan.steps.length === 0 ? 'the plan' : countOf(builder.build.plan.steps.length, 'step')}
      </button>`,
  });
}

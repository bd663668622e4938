// The dialog of playbooks.
import type { Playbook } from '#domain/plan/playbook.ts';
import { showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  closePlaybooks,
  enterValue,
  openPlaybook,
  runPlaybook,
  savePlaybook,
  setParams,
} from '../live/playbooks.ts';
import type { Playbooks, State } from '../live/state.ts';
import { drawControl, drawField } from './control.ts';
import { drawDialog } from './dialog.ts';
import { drawLoading } from './parts.ts';

function drawText(
  { values }: Playbooks,
  name: string,
  label: string,
  help: string,
): TemplateResult {
  return drawField(
    { label, optional: false, help },
    drawControl(
      { type: 'text', label, options: [] },
      {
        id: `playbook-${name}`,
        value: values.get(name) ?? '',
        invalid: false,
        most: 2000,
        note: (value) => enterValue(name, value),
      },
    ),
  );
}

function drawGallery({ list }: Playbooks): TemplateResult {
  if (list === null) return drawLoading();
  const entry = (one: Playbook) => html`<li>
    <button type="button" class="playbook" @click=${() => openPlaybook(one)}>
      <span class="operation-gist">${showText(one.title)}</span>
      <span class="operation-name"
        >${one.name} · ${countOf(one.total_steps, 'step')}${one.params.length === 0 ? '' : ` · ${one.params.map(({ name }) => name).join(', ')}`}</span
      >
    </button>
  </li>`;
  return html`<ul class="playbook-list">${list.map(entry)}</ul>`;
}

function drawRun(playbooks: Playbooks, open: Playbook): TemplateResult {
  const { name, title, params, total_steps: steps } = open;
  return html`<p class="muted">${name} · ${countOf(steps, 'step')} · needs approval</p>
    <h3>${showText(title)}</h3>
    ${params.length === 0 ? html`<p>It has no parameters.</p>` : nothing}
    ${params.map((one) => drawText(playbooks, one.name, one.name, one.optional ? 'optional' : ''))}`;
}

function drawSave(playbooks: Playbooks, params: number[]): TemplateResult {
  return html`<p>The plan can be proposed again under this name, with other values for what you name below.</p>
    ${drawText(playbooks, 'name', 'Name', 'Lowercase letters, digits and hyphens: close-month')}
    ${params.map(
      (at) => html`<div class="playbook-param">
        ${drawText(playbooks, `text ${at}`, `Text ${at + 1} in the plan`, 'Text in the plan, such as ACME')}
        ${drawText(playbooks, `name ${at}`, `Parameter ${at + 1}`, 'Name, such as customer')}
      </div>`,
    )}
    <button type="button" class="quiet" @click=${() => setParams(params.length + 1)}>Add a parameter</button>`;
}

export function drawPlaybooks({ playbooks }: State): TemplateResult | typeof nothing {
  if (playbooks === null) return nothing;
  const { open, save, problem, sending } = playbooks;
  const act = save === null ? runPlaybook : savePlaybook;
  const body =
    save !== null
      ? drawSave(playbooks, save.params)
      : open === null
        ? drawGallery(playbooks)
        : drawRun(playbooks, open);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void act();
  };
  const foot = html`${save === null ? html`<button type="button" class="plain-button" @click=${() => openPlaybook(null)}>Back</button>` : nothing}
    <button type="submit" form="playbook-form" class="primary" aria-disabled=${sending}>
      ${save === null ? 'Propose' : 'Save'}
    </button>`;
  return drawDialog({
    id: 'playbooks',
    title: save === null ? 'Playbooks' : 'Save as a playbook',
    close: closePlaybooks,
    body: html`<form id="playbook-form" class="builder-form" @submit=${submit} novalidate>
      ${problem === null ? nothing : html`<p class="notice" role="alert">${problem}</p>`} ${body}
    </form>`,
    ...(save === null && open === null ? {} : { foot }),
  });
}

// Bulk decisions: the bar and its dialog.
import { titleListed } from '#cards/times.ts';
import { countOf } from '#domain/words.ts';
import type { InboxState } from '../inbox/inbox.ts';
import {
  nameSending,
  type Triage,
  type TriageAct,
  type TriageRow,
  toSend,
  verbs,
  whyNot,
} from '../inbox/triage.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { clearTicks, tickAll } from '../live/inbox.ts';
import { openListed } from '../live/navigation.ts';
import type { State } from '../live/state.ts';
import {
  closeTriage,
  includeRow,
  openTriage,
  sendTriage,
  wasOpened,
  writeReason,
} from '../live/triage.ts';
import { callRequester } from '../plan/people.ts';
import { drawDialog } from './dialog.ts';
import { drawIcon } from './parts.ts';

export function drawTriageBar({ ticked }: InboxState): TemplateResult | typeof nothing {
  const { size } = ticked;
  if (size === 0) return nothing;
  const act = (name: TriageAct) => html`<button
    class=${name === 'approve' ? 'primary' : 'secondary'}
    @click=${() => void openTriage(name)}
  >
    ${verbs[name]} ${size}
  </button>`;
  return html`<div class="triage-bar" role="group" aria-label="Selected plans">
    <div class="triage-count">
      <span>${countOf(size, 'plan')} selected</span>
      <button class="quiet" @click=${tickAll}>Select all</button>
      <button class="quiet icon-only" aria-label="Clear the selection" @click=${clearTicks}>
        ${drawIcon('close')}
      </button>
    </div>
    ${act('approve')} ${act('reject')}
  </div>`;
}

async function openFromDialog({ plan }: TriageRow): Promise<void> {
  closeTriage();
  await openListed(plan);
}

function drawShown({ shown, plan }: TriageRow): TemplateResult {
  if (shown === null) return html`<p class="muted">Reading…</p>`;
  return html`<p class="muted">
      Version ${shown.version} · <bdi>${callRequester(plan)}</bdi> · ${shown.counts}
    </p>
    ${shown.passed === undefined ? nothing : html`<p>${shown.sentence}</p>`}
    ${
      shown.effects.length === 0
        ? nothing
        : html`<ul class="triage-effects">
            ${shown.effects.map(({ lead, text }) => html`<li><span class="muted">${lead}</span> ${text}</li>`)}
            ${shown.more === '' ? nothing : html`<li class="muted">${shown.more}</li>`}
          </ul>`
    }`;
}

function drawRow(triage: Triage, row: TriageRow): TemplateResult {
  const { plan, shown, included, outcome } = row;
  const why = shown === null ? null : whyNot(triage.act, shown, wasOpened(shown.digest));
  const settled = outcome?.settled === true;
  const title = shown?.title ?? titleListed(plan);
  const off = shown === null || why !== null || settled || triage.sending;
  return html`<li class="triage-row" data-plan=${plan.id} data-included=${included}>
    ${
      settled
        ? html`<span class="triage-mark" aria-hidden="true">${outcome.good ? '✓' : '✕'}</span>`
        : html`<input
            type="checkbox"
            aria-label=${`${verbs[triage.act]} ${title}`}
            .checked=${included}
            ?disabled=${off}
            @change=${() => includeRow(plan.id, !included)}
          />`
    }
    <div>
      <p class="triage-title">
        ${(shown?.guarded ?? 0) > 0 ? html`<span title="Has guarded steps">${drawIcon('shield')}</span>` : nothing}${title}
      </p>
      ${outcome === null ? nothing : html`<p class="triage-outcome" data-good=${outcome.good}>${outcome.words}</p>`}
      ${settled ? nothing : drawShown(row)}
      ${why === null || settled ? nothing : html`<p class="triage-why">${why}</p>`}
      ${settled || triage.sending ? nothing : html`<button class="link" @click=${() => void openFromDialog(row)}>Open</button>`}
    </div>
  </li>`;
}

function onReason({ target }: InputEvent): void {
  if (target instanceof HTMLInputElement) writeReason(target.value);
}

function drawReason({ act, reason, sending }: Triage): TemplateResult | typeof nothing {
  if (act === 'approve') return nothing;
  return html`<label class="triage-reason">
    Reason <span class="muted">(optional, told to who asked)</span>
    <input type="text" maxlength="1000" .value=${reason} ?disabled=${sending} @input=${onReason} />
  </label>`;
}

/** `2 approved`, `1 left`. */
function describeSent({ act, rows }: Triage): string {
  const done = rows.filter(({ outcome }) => outcome?.good === true).length;
  return done === 0
    ? ''
    : `${done} of ${countOf(rows.length, 'plan')} ${act === 'approve' ? 'approved' : 'rejected'}`;
}

function drawFoot(triage: Triage): TemplateResult {
  const count = toSend(triage).length;
  const over = triage.rows.every(({ outcome }) => outcome?.settled === true);
  return html`<span role="status">${triage.sending ? 'Sending…' : describeSent(triage)}</span>
    <button type="button" class=${over ? 'primary' : 'quiet'} ?disabled=${triage.sending} @click=${closeTriage}>
      ${over ? 'Close' : 'Cancel'}
    </button>
    ${
      over
        ? nothing
        : html`<button
            type="button"
            class=${triage.act === 'approve' ? 'primary' : 'secondary'}
            ?disabled=${triage.sending || count === 0}
            @click=${() => void sendTriage()}
          >
            ${nameSending(triage)}
          </button>`
    }`;
}

export function drawTriage({ triage }: State): TemplateResult | typeof nothing {
  if (triage === null) return nothing;
  const about =
    triage.act === 'approve'
      ? 'Each is approved in exactly the version shown here.'
      : 'None of them will run.';
  return drawDialog({
    id: 'triage',
    title: `${verbs[triage.act]} ${countOf(triage.rows.length, 'plan')}`,
    close: closeTriage,
    body: html`<p class="muted">${about}</p>
      <ul class="triage-rows">${triage.rows.map((row) => drawRow(triage, row))}</ul>
      ${drawReason(triage)}`,
    foot: drawFoot(triage),
  });
}

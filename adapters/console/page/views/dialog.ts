// A native dialog, for its focus handling.
import { html, type TemplateResult } from '../lit.ts';
import { afterDrawing } from '../live/store.ts';
import { drawIcon } from './parts.ts';

export type Dialog = {
  id: string;
  title: string;
  close: () => void;
  body: TemplateResult;
  foot?: TemplateResult;
};

function show(id: string): void {
  afterDrawing(() => {
    const dialog = document.querySelector<HTMLDialogElement>(`dialog#${id}`);
    if (dialog !== null && !dialog.open) dialog.showModal();
  });
}

/** Escape and outside presses close it. */
export function drawDialog({ id, title, close, body, foot }: Dialog): TemplateResult {
  show(id);
  const onPress = (event: MouseEvent) => {
    if (event.target === event.currentTarget) close();
  };
  const onCancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  return html`<dialog class="dialog" id=${id} aria-labelledby=${`${id}-title`} @click=${onPress} @cancel=${onCancel}>
    <div class="dialog-frame">
      <header class="dialog-head">
        <h2 id=${`${id}-title`}>${title}</h2>
        <button type="button" class="quiet icon-only" aria-label="Close" @click=${close}>${drawIcon('close')}</button>
      </header>
      <div class="dialog-body">${body}</div>
      ${foot === undefined ? '' : html`<footer class="dialog-foot">${foot}</footer>`}
    </div>
  </dialog>`;
}

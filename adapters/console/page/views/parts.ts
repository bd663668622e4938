// Small pieces shared by views.
import { shield } from '#cards/calls.ts';
import type { Tone } from '#cards/view.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { html, nothing, svg, type TemplateResult } from '../lit.ts';
import { describeStep } from '../plan/words.ts';

export function drawBadge(symbol: string, words: string, tone: Tone): TemplateResult {
  return html`<span class="badge" data-tone=${tone}
    ><span class="badge-symbol" aria-hidden="true">${symbol}</span>${words}</span
  >`;
}

export function drawStepBadge(status: StepStatus): TemplateResult {
  const { symbol, words, tone } = describeStep(status);
  return drawBadge(symbol, words, tone);
}

export function drawEmpty(title: string, text: string): TemplateResult {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${text}</p>
  </div>`;
}

export function drawLoading(): TemplateResult {
  return html`<div class="loading" role="status">
    <span class="visually-hidden">Reading</span><i></i><i></i><i></i>
  </div>`;
}

export function drawSection(
  title: string,
  content: unknown,
  aside: unknown = nothing,
): TemplateResult {
  return html`<section class="section">
    <header class="section-head">
      <h3>${title}</h3>
      ${aside}
    </header>
    ${content}
  </section>`;
}

const icons = {
  plus: svg`<path d="M8 3v10M3 8h10" />`,
  send: svg`<path d="M8 13V3M3.5 7.5L8 3l4.5 4.5" />`,
  close: svg`<path d="M4 4l8 8M12 4l-8 8" />`,
  list: svg`<path d="M3 4.5h10M3 8h10M3 11.5h6" />`,
  down: svg`<path d="M8 3v7M4.5 7L8 10.5 11.5 7M3 13.5h10" />`,
  shield: svg`<path d="M8 2l5 2v3.5c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V4z" />`,
  sliders: svg`<path d="M2.5 5h7M12.5 5h1M2.5 11h1M6.5 11h7" /><circle cx="11" cy="5" r="1.5" /><circle cx="5" cy="11" r="1.5" />`,
  search: svg`<circle cx="7" cy="7" r="4" /><path d="M10 10l3.5 3.5" />`,
  inbox: svg`<path d="M2.5 9l2-5.5h7l2 5.5v4h-11zM2.5 9h3.2l1 1.8h2.6l1-1.8h3.2" />`,
  talk: svg`<path d="M3 3.5h10v7H7.5L4.5 13v-2.5H3z" />`,
  keyboard: svg`<rect x="1.5" y="4" width="13" height="8" rx="1.5" /><path d="M4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M5 9.5h6" />`,
  pen: svg`<path d="M3 13l.7-2.8 7-7 2.1 2.1-7 7z" />`,
  up: svg`<path d="M8 12.5V4M4.5 7.5L8 4l3.5 3.5" />`,
  below: svg`<path d="M8 3.5V12M4.5 8.5L8 12l3.5-3.5" />`,
  chevron: svg`<path d="M6 4l4 4-4 4" />`,
};

export function drawIcon(name: keyof typeof icons): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${icons[name]}</svg>`;
}

/** Not every system has the character. @param name for screen readers */
export function drawShields(text: string, name: unknown = nothing): unknown {
  const [first = '', ...rest] = text.split(shield);
  return html`${first}${rest.map((one) => html`${drawIcon('shield')}${name}${one}`)}`;
}

export function drawLead(lead: string): unknown {
  return drawShields(lead, html`<span class="visually-hidden">guarded</span>`);
}

// The left-hand column: messages, cards and composer.
import { repeat } from 'lit-html/directives/repeat.js';
import { writeActivity } from '#cards/activity-words.ts';
import type { PlanningActivity } from '#domain/planning/activity.ts';
import type { Message } from '#domain/service.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { stopPlanning } from '../live/conversation.ts';
import { openPlan, showPane } from '../live/focus.ts';
import { openBuilder } from '../live/open.ts';
import { openSettings } from '../live/settings.ts';
import type { State } from '../live/state.ts';
import { formatTime } from '../plan/format.ts';
import { callAuthor } from '../plan/people.ts';
import { drawReference, drawSessionCard, hasSessionCard } from './card.ts';
import { drawComposer, fillComposer } from './composer.ts';
import { drawLoading } from './parts.ts';
import { stickToEnd } from './scroll.ts';

const examples = [
  {
    text: 'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md',
    shows: 'Two steps, one after the other',
  },
  {
    text: 'Write "A" to a.txt and write "B" to b.txt, then list files',
    shows: 'Steps that run side by side',
  },
  { text: 'Remind me every weekday at 9:30: post the standup', shows: 'Something for later' },
  { text: 'What is in the workspace?', shows: 'A question, answered without a plan' },
];

function drawNoModel(): TemplateResult {
  return html`<p>
    No model is connected. Type a command (<code>help</code> lists them, <code>playbooks</code> the saved plans), or
    <button class="quiet inline" @click=${openBuilder}>build a plan</button> from forms. To let people ask in their own words, an admin can
    <button class="quiet inline" @click=${() => void openSettings('models')}>connect a model</button>.
  </p>`;
}

function drawWelcome(): TemplateResult {
  return html`<div class="welcome">
    <h1>What should be done?</h1>
    <p>You get a plan first. Nothing runs until you approve it.</p>
    ${document.body.dataset.model === 'none' ? drawNoModel() : nothing}
    <ul class="examples">
      ${examples.map(
        ({ text, shows }) => html`<li>
          <button class="example" @click=${() => fillComposer(text)}>
            <span class="example-text">${text}</span>
            <span class="example-shows">${shows}</span>
          </button>
        </li>`,
      )}
    </ul>
  </div>`;
}

/** Each once, under its latest message. */
function findCardPlaces(messages: Message[]): Set<number> {
  const last = new Map<string, number>();
  for (const { id, plan_id } of messages) if (plan_id !== null) last.set(plan_id, id);
  return new Set(last.values());
}

/** Under the bot's latest message, unless that is about a plan. */
function findSessionPlaces({ messages, sessions, notices }: State): Map<number, string> {
  const last = new Map<string, Message>();
  for (const message of messages) {
    const { run_id, author } = message;
    if (run_id !== null && author === 'bot') last.set(run_id, message);
  }
  const places = new Map<number, string>();
  for (const [run, { id, plan_id }] of last) {
    const card = sessions.get(run);
    if (plan_id !== null || card === undefined) continue;
    if (hasSessionCard(card) || notices.has(run)) places.set(id, run);
  }
  return places;
}

/** Its reference is further down. */
function drawMention(id: string): TemplateResult {
  const open = () => {
    openPlan(id);
    showPane('plan');
  };
  return html`<button class="reference" @click=${open}>${id}</button>`;
}

/** Sets `backticks` as code and keeps plan IDs on one line. */
function drawText(text: string): unknown[] {
  return showText(text)
    .split(/(`[^`\n]+`|\bPLAN-[0-9a-f]{8}\b)/)
    .map((part) => {
      if (/^`.+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
      return part.startsWith('PLAN-') ? html`<span class="named">${part}</span>` : part;
    });
}

function drawSession(state: State, run: string | undefined): TemplateResult | typeof nothing {
  const card = run === undefined ? undefined : state.sessions.get(run);
  return card === undefined ? nothing : drawSessionCard(state, card);
}

function drawMessage(
  state: State,
  message: Message,
  hasCard: boolean,
  run: string | undefined,
): TemplateResult {
  const { author, text, above_card: above, plan_id, created_at } = message;
  const shown = hasCard || (run !== undefined && state.sessions.has(run)) ? above : text;
  const attached =
    plan_id === null
      ? drawSession(state, run)
      : hasCard
        ? drawReference(state, plan_id)
        : drawMention(plan_id);
  return html`<article class="message" data-author=${author}>
    <header>
      <span class="author">${callAuthor(message)}</span>
      <time datetime=${created_at}>${formatTime(created_at)}</time>
    </header>
    ${shown === '' ? nothing : html`<p class="message-text">${drawText(shown)}</p>`} ${attached}
  </article>`;
}

function drawPlanning({ planning, stopping, sending }: State): TemplateResult | typeof nothing {
  if (planning === null && !sending) return nothing;
  const words = planning === null ? 'Sending …' : writeActivity(planning.activity);
  return html`<div class="planning" role="status">
    <i></i><i></i><i></i><span>${stopping === null ? words : 'Stopping …'}</span>
    ${planning === null || stopping !== null ? nothing : drawStop(planning)}
  </div>`;
}

function drawStop(planning: PlanningActivity): TemplateResult {
  return html`<button class="stop" @click=${() => void stopPlanning(planning)}>Stop</button>`;
}

/** The shown plan, if no message mentions it. */
function findUnspoken({ plan, cards, messages, conversation }: State): string | null {
  const card = plan === null ? undefined : cards.get(plan.id);
  if (plan === null || card?.facts.plan.conversation !== conversation) return null;
  return messages.some((message) => message.plan_id === plan.id) ? null : plan.id;
}

function drawMessages(state: State): TemplateResult {
  if (!state.loaded && state.messages.length === 0) return drawLoading();
  const unspoken = findUnspoken(state);
  if (state.messages.length === 0 && unspoken === null) return drawWelcome();
  const places = findCardPlaces(state.messages);
  const sessions = findSessionPlaces(state);
  return html`${repeat(
    state.messages,
    (message) => message.id,
    (message) => drawMessage(state, message, places.has(message.id), sessions.get(message.id)),
  )}
  ${unspoken === null ? nothing : drawReference(state, unspoken)} ${drawPlanning(state)}`;
}

export function drawConversation(state: State): TemplateResult {
  stickToEnd(state.conversation, state.messages.length);
  return html`<section class="conversation" aria-label="Conversation">
    <div class="messages" id="messages" role="log" aria-live="polite" tabindex="0">
      <div class="messages-inner">${drawMessages(state)}</div>
    </div>
    ${drawComposer(state)}
  </section>`;
}

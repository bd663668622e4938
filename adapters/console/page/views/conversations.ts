// Earlier conversations by day.
import { repeat } from 'lit-html/directives/repeat.js';
import type { ConversationSummary } from '#domain/chat/conversation-list.ts';
import { showTitle } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { loadOlderConversations } from '../live/inbox.ts';
import { reopenConversation, startConversation } from '../live/navigation.ts';
import type { State } from '../live/state.ts';
import { afterDrawing } from '../live/store.ts';
import { formatTime } from '../plan/format.ts';
import { drawLoading } from './parts.ts';

async function showOlder(): Promise<void> {
  const first = await loadOlderConversations();
  if (first === null) return;
  afterDrawing(() =>
    [...document.querySelectorAll<HTMLElement>('.talk')]
      .find(({ dataset }) => dataset.conversation === first)
      ?.focus(),
  );
}

function describeTalk({ plans, running, last_at }: ConversationSummary): string {
  return [
    formatTime(last_at),
    ...(plans === 0 ? [] : [countOf(plans, 'plan')]),
    ...(running === 0 ? [] : [`▸ ${running} running`]),
  ].join(' · ');
}

function drawTalk(talk: ConversationSummary, current: string): TemplateResult {
  const { id, title } = talk;
  return html`<li>
    <button
      class="talk"
      data-conversation=${id}
      aria-current=${id === current ? 'true' : nothing}
      @click=${() => void reopenConversation(id)}
    >
      <span class="entry-title">${showTitle(title, 300) || 'Without words'}</span>
      <span class="entry-facts">${describeTalk(talk)}</span>
    </button>
  </li>`;
}

export function drawConversations({ inbox, conversation }: State): TemplateResult {
  const { conversations: page, problem } = inbox;
  if (page === null) return problem === null ? drawLoading() : html``;
  if (page.conversations.length === 0) {
    return html`<div class="empty">
      <p class="empty-title">No conversations yet</p>
      <p>What you ask for, and what came of it, can be read here again.</p>
      <button class="quiet" @click=${() => void startConversation()}>Start a conversation</button>
    </div>`;
  }
  return html`<ul class="talks">
      ${repeat(
        page.conversations,
        ({ id }) => id,
        (talk) => drawTalk(talk, conversation),
      )}
    </ul>
    ${page.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void showOlder()}>Show older</button>`}`;
}

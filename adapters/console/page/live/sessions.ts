// Cards of planning sessions waiting in the conversation.
import type { Message } from '#domain/service.ts';
import { zone } from '../plan/format.ts';
import { get } from './api.ts';
import type { SessionCard } from './state.ts';
import { change, state } from './store.ts';

/** Reopened conversations load their latest runs only. */
const remembered = 5;

/** Concurrent calls: the latest turn wins. */
export async function loadSession(id: string): Promise<void> {
  const card = await get<SessionCard>(
    `/api/runs/${encodeURIComponent(id)}/card?timezone=${encodeURIComponent(zone())}`,
  );
  const known = state.sessions.get(id);
  if (known !== undefined && known.turn > card.turn) return;
  change((s) => s.sessions.set(id, card));
}

/** Skips those with a plan, whose card says more. */
export function loadSessionsOf(messages: Message[]): void {
  const runs = messages.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
  for (const id of [...new Set(runs)].slice(-remembered)) {
    // Retried with the next message.
    loadSession(id).catch(() => undefined);
  }
}

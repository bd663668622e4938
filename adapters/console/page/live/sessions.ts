// Planning sessions that wait in the conversation: their cards, read again whenever something is said or pressed.
import type { Message } from '#domain/service.ts';
import { get } from './api.ts';
import type { SessionCard } from './state.ts';
import { change, state } from './store.ts';

/** A reopened conversation shows the state of its latest runs; older ones have moved on. */
const remembered = 5;

/** Reads a session's card again. Several calls for one run: the latest turn stays. */
export async function loadSession(id: string): Promise<void> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const card = await get<SessionCard>(
    `/api/runs/${encodeURIComponent(id)}/card?timezone=${encodeURIComponent(zone)}`,
  );
  const known = state.sessions.get(id);
  if (known !== undefined && known.turn > card.turn) return;
  change((s) => s.sessions.set(id, card));
}

/** Reads the sessions that these messages speak of. Where a plan is spoken of, its own card says more. */
export function loadSessionsOf(messages: Message[]): void {
  const runs = messages.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
  for (const id of [...new Set(runs)].slice(-remembered)) {
    // A session that can't be read now is read with the next message; its text is in the conversation.
    loadSession(id).catch(() => undefined);
  }
}

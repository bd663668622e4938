// A chat platform that answers at once, for benches of what people see.
import type { ChatContent, ChatPlace, ChatPort } from '#domain/chat/chat.ts';

/** A chat that takes everything at once, and when each thread first showed a status or a card that says it is done. */
export function openChat() {
  const signs = new Map<string | null, number>();
  const finals = new Map<string | null, number>();
  const note = (place: ChatPlace, { text }: ChatContent) => {
    if (!finals.has(place.thread) && text.includes('✓ Done ·'))
      finals.set(place.thread, Date.now());
  };
  const port: ChatPort = {
    async post(place, content) {
      note(place, content);
      return { ...place, message: `m${place.thread}` };
    },
    async update(post, content) {
      note(post, content);
    },
    async whisper() {},
    status: {
      fadesAfterMs: 60_000,
      async show({ thread }) {
        if (!signs.has(thread)) signs.set(thread, performance.now());
        return undefined;
      },
      async clear() {},
    },
  };
  return { port, signs, finals };
}

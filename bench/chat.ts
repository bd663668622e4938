// A chat that answers at once.
import type { ChatContent, ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import { preciseNow } from './numbers.ts';

/** `at`: epoch milliseconds. */
export type DisplayedStatus = { what: 'status' | 'final'; thread: string | null; at: number };

export function openChat(report: (shown: DisplayedStatus) => void): ChatPort {
  const reportIfDone = ({ thread }: ChatPlace, { text }: ChatContent) => {
    if (text.includes('✓ Done ·')) report({ what: 'final', thread, at: preciseNow() });
  };
  return {
    async post(place, content) {
      reportIfDone(place, content);
      return { ...place, message: `m${place.thread}` };
    },
    async update(post, content) {
      reportIfDone(post, content);
    },
    async whisper() {},
    status: {
      fadesAfterMs: 60_000,
      async showFirst() {},
      async show({ thread }) {
        report({ what: 'status', thread, at: preciseNow() });
        return undefined;
      },
      async clear() {},
    },
  };
}

export function createShownTimes() {
  const times = { status: new Map<string, number>(), final: new Map<string, number>() };
  const note = ({ what, thread, at }: DisplayedStatus) => {
    if (thread !== null && !times[what].has(thread)) times[what].set(thread, at);
  };
  return { ...times, note };
}

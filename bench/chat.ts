// A chat platform that answers at once, for benches of what people see.
import type { ChatContent, ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import { preciseNow } from './numbers.ts';

/** A thread showed a status, or a card that says the plan is done; `at` is milliseconds since 1970. */
export type DisplayedStatus = { what: 'sign' | 'final'; thread: string | null; at: number };

/** A chat that accepts everything at once and reports what it shows. */
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
      async sign() {},
      async show({ thread }) {
        report({ what: 'sign', thread, at: preciseNow() });
        return undefined;
      },
      async clear() {},
    },
  };
}

/** When each thread first showed a sign of work, or that its plan is done. */
export function createShownTimes() {
  const times = { sign: new Map<string, number>(), final: new Map<string, number>() };
  const note = ({ what, thread, at }: DisplayedStatus) => {
    if (thread !== null && !times[what].has(thread)) times[what].set(thread, at);
  };
  return { ...times, note };
}

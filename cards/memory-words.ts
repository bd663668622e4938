// What is said about what people asked to keep.
import type { MemoryEntry } from '#domain/people/memory.ts';
import { memoryLimits, writeNote } from '#domain/people/memory-note.ts';
import { listOf, shorten } from '#domain/words.ts';

type Entry = Pick<MemoryEntry, 'id' | 'name' | 'text'>;

const listed = 40;
const shownOfText = 120;

const quote = (entry: Entry) => `“${shorten(writeNote(entry), shownOfText)}”`;

const howTo = 'To keep something: “remember that …”. To drop it: “forget” and its number.';

export const memoryWords = {
  kept: ({ entries }: { entries: Entry[] }) =>
    `I'll remember: ${listOf(entries.map(quote))}. To undo: ${listOf(entries.map(({ id }) => `“forget ${id}”`))}.`,
  full: `I can't remember more than ${memoryLimits.entries} things here, so this isn't kept. Say “what do you remember?”, then “forget” and the number of what you don't need.`,
  forgotten: ({ entries }: { entries: Entry[] }) => `Forgotten: ${listOf(entries.map(quote))}.`,
  unknown: ({ id }: { id: number }) =>
    `I remember nothing under ${id} here. Say “what do you remember?” for the list.`,
  which: ({ entries }: { entries: Entry[] }) =>
    ['Which one do you mean?', ...entries.map(lineOf)].join('\n'),
  /** @param shared others read here too, so that what one person keeps is not shown */
  list: ({ entries, shared }: { entries: Entry[]; shared: boolean }) => {
    const lines = entries.slice(0, listed).map(lineOf);
    const more = entries.length - lines.length;
    return [
      entries.length === 0
        ? `I remember nothing ${shared ? 'for this place' : 'yet'}.`
        : `I remember ${shared ? 'for everyone here' : 'for you'}:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more; the console lists all.`] : []),
      howTo,
      ...(shared ? ['What I keep for you alone, I show only in a chat with you alone.'] : []),
    ].join('\n');
  },
  /** Beside the list in settings. */
  title: 'Memory',
  about: 'What you asked me to keep. I use it when I plan for you; it approves nothing.',
  empty: 'Nothing yet. Write “remember that …” to me, or add it here.',
} as const;

function lineOf(entry: Entry): string {
  return `${entry.id}. ${shorten(writeNote(entry), shownOfText)}`;
}

// Words about people's memory.
import type { MemoryEntry, MemoryNote } from '#domain/people/memory.ts';
import { memoryLimits, writeNote } from '#domain/people/memory-note.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';

type Entry = Pick<MemoryEntry, 'id' | 'name' | 'text'>;

const shownOfText = 120;
const maxNote = memoryLimits.name + memoryLimits.text + 10;

const quote = (note: MemoryNote) => quoteWords(writeNote(note), shownOfText);
const lineOf = (entry: Entry) => `${entry.id}. ${quote(entry)}`;

const kept = ({ entries }: { entries: Entry[] }) => `I'll remember ${listOf(entries.map(quote))}.`;

const full = ({ notes }: { notes: MemoryNote[] }) =>
  `My memory here is full (${memoryLimits.entries} entries), so I didn't keep ${listOf(notes.map(quote))}.`;

/** `told`, `which` and `list` are for chats. */
export const memoryWords = {
  kept,
  full,
  /** Verbatim. */
  ask: ({ notes }: { notes: MemoryNote[] }) =>
    `Shall I remember ${listOf(notes.map((note) => quoteWords(writeNote(note), maxNote)))}?`,
  askPolicy: ({ change }: { change: string }) => `Shall I do that? ${change}`,
  yes: 'Yes, keep that',
  no: 'No',
  told: ({ kept: entries, refused: notes }: { kept: Entry[]; refused: MemoryNote[] }) =>
    [
      ...(entries.length > 0
        ? [
            `${kept({ entries })} To undo, say ${listOf(entries.map(({ id }) => quoteWords(`forget ${id}`, 40)))}.`,
          ]
        : []),
      ...(notes.length > 0
        ? [
            `${full({ notes })} Say “what do you remember?”, then “forget” and a number to make room.`,
          ]
        : []),
    ].join('\n'),
  line: lineOf,
  forgotten: ({ entries }: { entries: Entry[] }) => `Forgotten: ${listOf(entries.map(quote))}.`,
  unknown: ({ id }: { id: number }) =>
    `There is no entry ${id}. Say “what do you remember?” to list the entries.`,
  which: ({ entries }: { entries: Entry[] }) =>
    ['Which one do you mean?', ...entries.map(lineOf), 'Say “forget” and its number.'].join('\n'),
  /** @param shared hides private memory from others */
  list: ({ entries, shared }: { entries: Entry[]; shared: boolean }) =>
    [
      entries.length === 0
        ? `Nothing yet${shared ? ' for this channel' : ''}.`
        : `What I remember for ${shared ? 'everyone here' : 'you'}:`,
      ...entries.map(lineOf),
      'Say “remember that …” to add something, “forget 12” to remove it.',
      ...(shared ? ['Your own entries are shown only in a direct chat with me.'] : []),
    ].join('\n'),
  title: 'Memory',
  about:
    'What you asked me to remember. I use it when I plan for you; it never counts as approval.',
  empty: 'Nothing yet. Write “remember that …” to me, or add it here.',
} as const;

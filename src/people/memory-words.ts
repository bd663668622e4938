// Fixed phrases about memory, such as "forget 12", as whole messages. Pure.
import { fold, type MemoryEntry } from '#domain/people/memory.ts';
import { memoryLimits, writeNote } from '#domain/people/memory-note.ts';
import { trimTail } from '#domain/words.ts';

export type MemoryPhrase =
  | { kind: 'list' }
  | { kind: 'keep'; text: string }
  | { kind: 'forget'; what: string };

const list =
  /^(?:what (?:do|can) you remember(?: about (?:me|us))?|(?:show )?(?:your |my )?memory)$/i;
const keep = /^remember(?: that\s|:\s{0,9}(?:that\s)?)(.+)$/i;
const forget = /^forget (?:that |about )?(.+)$/i;
const more = /[.!?;]\s+\S|\n|[,;]?\s(?:and\s+)?then\s/;

/** Null if it isn't about memory, or not only. */
export function readMemoryPhrase(phrase: string): MemoryPhrase | null {
  const text = phrase
    .trim()
    .replace(/^please,?\s+/i, '')
    .replace(/,?\s{1,9}please[.!]?$/i, '');
  const plain = trimTail(text, /[\s.?!]/);
  if (list.test(plain)) return { kind: 'list' };
  if (more.test(text)) return null;
  const kept = keep.exec(text)?.[1]?.trim().replace(/\.$/, '');
  if (kept !== undefined && kept !== '' && kept.length <= memoryLimits.text)
    return { kind: 'keep', text: kept };
  const what = forget.exec(plain.replace(/\s+/g, ' '))?.[1]?.trim();
  return what === undefined ? null : { kind: 'forget', what };
}

/** By number, name or whole text. Parts don't count: “forget the report” may mean a plan's. */
export function findMeant(entries: MemoryEntry[], what: string): MemoryEntry[] {
  const id = /^#?(\d+)$/.exec(what)?.[1];
  if (id !== undefined) return entries.filter((entry) => entry.id === Number(id));
  const wanted = fold(what).replace(/^["']|["']$/g, '');
  return entries.filter((entry) =>
    [entry.name, entry.text, writeNote(entry)].some((one) => one !== null && fold(one) === wanted),
  );
}

// Stores display names from chat platforms. A person's identity stays their account.
import type { Database } from '#db/database.ts';
import { storeName } from '#db/people/identities.ts';
import type { Clock } from '#domain/clock.ts';
import { makeStorableText } from '#domain/text.ts';

const longest = 80;
/** After this long a process writes an unchanged name again: another one may have stored a different name. */
const keptForMs = 10 * 60_000;
const maxKept = 5000;

/** Scripts with letters that look Latin: mixed names can't be read reliably. */
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]/u;
const isMixed = (word: string): boolean => /\p{Script=Latin}/u.test(word) && alike.test(word);
/** Keeps zero-width joiners, which spell some names and hold emoji together. */
const unseen = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}](?<!\u200c|\u200d|\ufe0f)/gu;

/**
 * The displayable name, on one line, or null if nothing is left or it could pass for an address, a platform ID or another's name.
 * Pure.
 */
export function readCalled(said: string): string | null {
  const line = makeStorableText(said)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(unseen, '')
    .trim();
  const plain = line.normalize('NFKC');
  if (line.length > longest || !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain)) return null;
  return plain.includes('@') || /(?:slack|teams):/i.test(plain) || plain.split(/\s/).some(isMixed)
    ? null
    : line;
}

/** A function that stores display names; on failure the old one stays. */
export function createNoteName({
  db,
  clock,
  warn,
}: {
  db: Database;
  clock: Clock;
  warn(message: string, error?: unknown): void;
}) {
  const noted = new Map<string, { called: string | null; until: number }>();
  return async (account: string, said: string): Promise<void> => {
    const called = readCalled(said);
    const now = clock.now().getTime();
    const last = noted.get(account);
    if (last !== undefined && last.called === called && last.until > now) return;
    try {
      await storeName(db.query, account, called);
    } catch (error) {
      // The caller is about to decide something and must not be delayed.
      warn('What somebody is called was not kept.', error);
      return;
    }
    if (noted.size >= maxKept) noted.clear();
    noted.set(account, { called, until: now + keptForMs });
  };
}

// Stores display names from chat platforms. A person's identity stays their account.
import type { Database } from '#db/database.ts';
import { storeName } from '#db/people/identities.ts';
import type { Clock } from '#domain/clock.ts';
import { makeStorableText } from '#domain/text.ts';

const longest = 80;
/** A process writes the same name again after so long: another may have heard another one since. */
const keptForMs = 10 * 60_000;
const maxKept = 5000;

/** Letters of other alphabets that look like those beside them: whose name it is cannot be read. */
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]/u;
const isMixed = (word: string): boolean => /\p{Script=Latin}/u.test(word) && alike.test(word);
/** The zero-width joiners are how some names are spelled, and how emoji stay whole. */
const unseen = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}](?<!\u200c|\u200d|\ufe0f)/gu;

/**
 * The name as it may be shown: one line of what is visible. null: none is left, or it could be read as somebody's address, a
 * platform's id or another's name. Pure.
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

/** A function that keeps what an account is called. Where that cannot be kept, they are called what they were. */
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
      // Who waits for this is about to decide something.
      warn('What somebody is called was not kept.', error);
      return;
    }
    if (noted.size >= maxKept) noted.clear();
    noted.set(account, { called, until: now + keptForMs });
  };
}

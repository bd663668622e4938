// Messages that join a turn while it is planned.
import { readJoined } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import { isOnePerson } from '#db/people/identities.ts';
import type { JoinedWords } from '#domain/planning/state.ts';
import { linesOf, onOneLine } from '#domain/words.ts';

/** Oldest first. */
export async function readJoinedMessages(
  db: Queryable,
  run: { id: string; turn: number },
  after: number,
): Promise<JoinedWords[]> {
  const arrived = await readJoined(db, run, after);
  const joined: JoinedWords[] = [];
  for (const { id, name, text, user } of arrived) {
    const own = await isOnePerson(db, name, user);
    joined.push({ message: id, by: own ? null : name, text });
  }
  return joined;
}

/** A name can't imitate the start of a message. */
export const nameWriter = (name: string) => `[${onOneLine(name, 80).replace(/[[\]:]/g, ' ')}]`;

/** Indents others' lines so none looks like the requester's. */
export function writeJoined({ by, text }: JoinedWords): string {
  if (by === null) return `Meanwhile they add:\n${text}`;
  const lines = linesOf(text).map((line) => `    ${line}`);
  return `Meanwhile ${nameWriter(by)}, who did not ask for this, says:\n${lines.join('\n')}`;
}

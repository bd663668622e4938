// People's words during planning join the turn at the model's next call.
import { readJoined } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import { isOnePerson } from '#db/people/identities.ts';
import type { JoinedWords } from '#domain/planning/state.ts';

/** The words of the run's turn after message `after`, oldest first. */
export async function hearMore(
  db: Queryable,
  run: { id: string; turn: number },
  after: number,
): Promise<JoinedWords[]> {
  const said = await readJoined(db, run, after);
  const joined: JoinedWords[] = [];
  for (const { id, name, text, user } of said) {
    const own = await isOnePerson(db, name, user);
    joined.push({ message: id, by: own ? null : name, text });
  }
  return joined;
}

/** Joined words as the model hears them. */
export function writeJoined({ by, text }: JoinedWords): string {
  return `${by === null ? 'Meanwhile they add' : `Meanwhile ${by}, who did not ask for this, says`}:\n${text}`;
}

// Maximum message length. Longer messages are refused before anything parses them.
import { refusalWords } from '#cards/decision-words.ts';
import { CountersignError } from '#domain/errors.ts';
import { longestMessage } from '#domain/text.ts';

/** The problem with a message's length, with advice, or null. */
export function explainLength(text: string): string | null {
  if (text.length <= longestMessage) return null;
  return refusalWords.tooLong({ characters: text.length });
}

/** @throws `invalid_request`, which names the limit */
export function requireReadable(text: string): void {
  const problem = explainLength(text);
  if (problem === null) return;
  const details = { limit_characters: longestMessage };
  throw new CountersignError('invalid_request', problem, { details });
}

// Maximum message length. Longer messages are refused before anything parses them.
import { CountersignError } from '#domain/errors.ts';
import { longestMessage } from '#domain/text.ts';

const inWords = (count: number) => count.toLocaleString('en-US');

/** What is wrong with the length of a message, and what to do; null: nothing. */
export function explainLength(text: string): string | null {
  if (text.length <= longestMessage) return null;
  return `This message has ${inWords(text.length)} characters; I read at most ${inWords(longestMessage)}. Send a shorter one: put long texts into a file and name it.`;
}

/** @throws `invalid_request`, which names the limit */
export function requireReadable(text: string): void {
  const problem = explainLength(text);
  if (problem === null) return;
  const details = { limit_characters: longestMessage };
  throw new CountersignError('invalid_request', problem, { details });
}

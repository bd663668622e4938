// Choices with keys, such as `[r]eject`, and reading them.
import { readWordFor, type Word } from '#conversation/read-word.ts';

/** The key is in brackets. */
export type Choices<T> = readonly (readonly [label: string, meaning: T])[];

/** @param more other input */
export function drawChoices(choices: Choices<unknown>, more = ''): string {
  return `  ${[...choices.map(([label]) => label), ...(more === '' ? [] : [more])].join('  ')} › `;
}

/** `f`, `mark failed`, `failed`; without a key only the label. */
function namesOf(label: string): string[] {
  const [before = '', key = '', after = ''] = label.split(/[[\]]/);
  const plain = after.startsWith(' ') ? after.trim() : `${before}${key}${after}`;
  const word = key === '' ? '' : `${before.split(' ').at(-1)}${key}${after.split(' ')[0]}`;
  return [key, plain, word].filter((name) => name !== '').map((name) => name.toLowerCase());
}

export function readChoice<T>(choices: Choices<T>, line: string): T | null {
  const text = line.trim().toLowerCase();
  return choices.find(([label]) => namesOf(label).includes(text))?.[1] ?? null;
}

export type Typed =
  | Exclude<Word, { kind: 'talk' }>
  | { kind: 'details' | 'quit' | 'nothing' }
  | { kind: 'talk'; text: string };

/** Accepted at every decision. */
const everywhere: Choices<string> = [
  ['[a]pprove', 'approve'],
  ['[p]ropose changes', 'propose changes'],
  ['[r]eject', 'reject'],
  ['[c]ancel', 'cancel'],
  ['[u]ndo', 'undo'],
  ['[s]tatus', 'status'],
];

const looks: Choices<'details' | 'quit'> = [
  ['[d]etails', 'details'],
  ['[d] review', 'details'],
  ['[q]uit', 'quit'],
];

/** Deciding words are exact; the rest is talk. */
export function readTyped(line: string, waits: 'budget' | null = null): Typed {
  const text = line.trim();
  if (text === '' || text === '?') return { kind: 'nothing' };
  const look = readChoice(looks, text);
  if (look !== null) return { kind: look };
  const word = readChoice(everywhere, text) ?? text.replace(/^a\s/i, 'approve ');
  const read = readWordFor(word, waits);
  return read.kind === 'talk' ? { kind: 'talk', text } : read;
}

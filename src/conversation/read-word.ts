// Deciding words, matched exactly; near-misses decide nothing.
import { readStepChoice, type StepChoice } from '#domain/plan/step-choice.ts';
import { isNearly } from '#domain/words.ts';
import type { Waits } from '#runs/session-subject.ts';

export type Word =
  /** `now`: includes steps whose start has passed. */
  | { kind: 'approve'; now?: true }
  | { kind: 'approve_part'; choice: StepChoice }
  | { kind: 'reject' }
  | { kind: 'cancel' }
  | { kind: 'status' }
  | { kind: 'propose_changes'; feedback: string }
  /** `to`: null for the previous version. */
  | { kind: 'go_back'; to: number | null }
  | { kind: 'talk' };

/** Ignores case and surrounding space; other words make it talk. `approve 1-3, 5` uses card numbers. */
export function readWord(text: string): Word {
  const trimmed = text.trim();
  switch (trimmed.toLowerCase()) {
    case 'approve':
      return { kind: 'approve' };
    case 'approve now':
      return { kind: 'approve', now: true };
    case 'reject':
      return { kind: 'reject' };
    case 'cancel':
      return { kind: 'cancel' };
    case 'status':
      return { kind: 'status' };
    case 'undo':
      return { kind: 'go_back', to: null };
    default:
      return readApprovedPart(trimmed) ?? readVersion(trimmed) ?? readChanges(trimmed);
  }
}

function readApprovedPart(text: string): Word | null {
  const steps = /^approve\s([\s\S]*)$/i.exec(text)?.[1];
  const choice = steps === undefined ? null : readStepChoice(steps);
  return choice === null ? null : { kind: 'approve_part', choice };
}

function readVersion(text: string): Word | null {
  const version = /^go back to version (\d{1,6})$/i.exec(text)?.[1];
  return version === undefined ? null : { kind: 'go_back', to: Number(version) };
}

function readChanges(text: string): Word {
  const rest = /^propose changes/i.test(text) ? text.slice('propose changes'.length) : null;
  const isAsked = rest !== null && (rest.startsWith(':') || ['', ':'].includes(rest.trim()));
  return isAsked
    ? { kind: 'propose_changes', feedback: rest.replace(':', '').trim() }
    : { kind: 'talk' };
}

const continueWords = /^(?:go on|yes|continue)$/;
const stop = /^(?:stop|no)$/;

/** Budget questions also accept everyday answers. */
export function readWordFor(text: string, waits: Waits | null): Word {
  const word = readWord(text);
  if (waits !== 'budget' || word.kind !== 'talk') return word;
  const plain = text.trim().toLowerCase().replace(/[.!]$/, '');
  if (continueWords.test(plain)) return { kind: 'approve' };
  return stop.test(plain) ? { kind: 'reject' } : word;
}

export type NearWord = 'approve' | 'reject' | 'cancel' | 'undo';

const longest = 160;
const it = '(?:it|this|that|them|all|everything|(?:the|this) plan)';

/** Allowed between commas, full stops and “and”. */
const phrases: Record<NearWord, RegExp> = {
  approve: new RegExp(
    `^(?:approved?|(?:please )?(?:approve|run|start|do|ship|execute|launch) ${it}|approve please|i approve(?: of)?(?: ${it})?|lgtm|` +
      `(?:${it} )?(?:looks?|sounds?|is|seems) (?:good|great|fine|right|ok|okay|perfect)(?: to me)?|(?:that's|it's|all) (?:good|great|fine|right|ok|okay|perfect)|` +
      'good|great|fine|perfect|nice|ok|okay|k|yes|yep|yeah|yup|sure|agreed|go|go ahead(?: with (?:it|this|that))?|go for it|please go ahead|proceed|do so|' +
      '[👍✅👌🚀✔☑]+)$',
    'u',
  ),
  reject: new RegExp(
    `^(?:rejected|(?:please )?reject ${it}|no|nope|no way|(?:please )?(?:don't|do not)(?: (?:do|run|start))?(?: ${it})?|not (?:this|that)|[👎❌]+)$`,
    'u',
  ),
  cancel: new RegExp(
    `^(?:cancelled|canceled|(?:please )?(?:cancel|stop|abort|drop|scrap) ${it}|stop|abort|never ?mind|forget (?:it|this|that))$`,
    'u',
  ),
  undo: new RegExp(
    `^(?:(?:please )?(?:undo|revert|roll back|take back)(?: ${it})?|roll ${it} back)$`,
    'u',
  ),
};

/** Means nothing alone. */
const filler = /^(?:please|thanks|thank you|cheers)$/u;

function readParts(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u{fe0f}\u{1f3fb}-\u{1f3ff}]/gu, '')
    .replace(/[’`]/g, "'");
  return plain
    .split(/[,;.!…\n]|\s[-–—]\s|\sand\s/u)
    .map((part) =>
      part
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/ (?:please|thanks|thank you)$/, ''),
    )
    .filter((part) => part !== '');
}

/** Exact words are read before this. */
export function readNearWord(text: string): NearWord | null {
  if (text.length > longest || text.includes('?')) return null;
  const parts = readParts(text).filter((part) => !filler.test(part));
  if (parts.length === 0) return null;
  for (const word of ['approve', 'reject', 'cancel', 'undo'] as const) {
    if (parts.every((part) => isNearly(part, word) || phrases[word].test(part))) return word;
  }
  return null;
}

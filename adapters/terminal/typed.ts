// What a typed line means. Words that decide are exact; anything else is talk, and no guess is made.
import { readStepChoice, type StepChoice } from '#domain/plan/step-choice.ts';

export type Typed =
  | { kind: 'approve' | 'reject' | 'cancel' | 'details' | 'status' | 'quit' | 'nothing' }
  | { kind: 'approve_part'; choice: StepChoice }
  | { kind: 'propose'; feedback: string }
  | { kind: 'talk'; text: string };

const words: Record<string, Exclude<Typed['kind'], 'talk' | 'propose' | 'approve_part'>> = {
  a: 'approve',
  approve: 'approve',
  r: 'reject',
  reject: 'reject',
  c: 'cancel',
  cancel: 'cancel',
  d: 'details',
  details: 'details',
  review: 'details',
  s: 'status',
  status: 'status',
  q: 'quit',
  quit: 'quit',
  '': 'nothing',
};

/** The meaning of a line at the question whether to approve. Feedback is empty when it is still to be asked for. */
export function readTyped(line: string): Typed {
  const text = line.trim();
  const lower = text.toLowerCase();
  if (Object.hasOwn(words, lower)) return { kind: words[lower] ?? 'nothing' };
  const choice = readStepChoice(/^(?:a|approve)\s(.*)$/is.exec(text)?.[1] ?? '');
  if (choice !== null) return { kind: 'approve_part', choice };
  if (lower === 'p' || lower === 'propose changes') return { kind: 'propose', feedback: '' };
  const feedback = /^propose changes:(.*)$/is.exec(text)?.[1];
  if (feedback !== undefined) return { kind: 'propose', feedback: feedback.trim() };
  return { kind: 'talk', text };
}

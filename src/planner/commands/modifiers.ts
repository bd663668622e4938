// Times, rules and lengths around a command: `at 9:00`, `every Monday at 9:00 until 1 June`, `after 2 days`, `a day later`,
// `takes 3 hours`.
import {
  type Every,
  type Read,
  readEvery,
  readSpan,
  readWhen,
  type Span,
  type When,
  type Words,
} from '#timeline/spoken-times.ts';

export type Modifiers = {
  start: When | null;
  /** After the previous command. */
  lag: Span | null;
  every: Every | null;
  until: When | null;
  takes: Span | null;
  deadline: When | null;
};

export const noModifiers: Modifiers = {
  ...{ start: null, lag: null, every: null },
  ...{ until: null, takes: null, deadline: null },
};

type Part = { name: keyof Modifiers; value: When | Span | Every };

function readOne(words: Words, at: number): Read<Part> | null {
  const as = (
    name: keyof Modifiers,
    read: Read<When> | Read<Span> | Read<Every> | null,
  ): Read<Part> | null => read && { value: { name, value: read.value }, next: read.next };
  switch (words.tokens[at]?.value) {
    case 'every':
      return as('every', readEvery(words, at));
    case 'until':
      return as('until', readWhen(words, at + 1));
    case 'by':
      return as('deadline', readWhen(words, at + 1));
    case 'takes':
      return as('takes', readSpan(words, at + 1));
    case 'after':
      return as('lag', readSpan(words, at + 1));
    default: {
      const span = readSpan(words, at);
      if (span !== null && words.tokens[span.next]?.value === 'later')
        return as('lag', { ...span, next: span.next + 1 });
      return as('start', readWhen(words, at));
    }
  }
}

/** All consecutive ones from `at`, each at most once; null without any. */
export function readModifiers(words: Words, at: number): Read<Modifiers> | null {
  const found: { [name in keyof Modifiers]?: Part['value'] } = {};
  let next = at;
  for (;;) {
    const gap = next > at && words.tokens[next]?.value === ',' ? 1 : 0;
    const one = readOne(words, next + gap);
    if (one === null || found[one.value.name] !== undefined) break;
    found[one.value.name] = one.value.value;
    next = one.next;
  }
  if (next === at) return null;
  return { value: { ...noModifiers, ...(found as Partial<Modifiers>) }, next }; // each name has the value that readOne gives it
}

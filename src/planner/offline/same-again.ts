// "The same for b.txt": what was just said, with other paths in its place.
import { findPaths } from './paths.ts';
import type { Intent, Reading, ReadingContext } from './reading.ts';

export const sameAgain =
  /^(?:do\s+|and\s+)*(?:the\s+)?same(?:\s+thing)?(?:\s+again)?\s+(?:for|with|to|in|on)\s+/i;

/** null: it is not said, or what was said before cannot be said of another path. */
export function repeatForOthers(
  text: string,
  before: Reading | undefined,
  context: ReadingContext,
): Reading | null {
  const match = sameAgain.exec(text);
  if (!match || before?.kind !== 'intents') return null;
  const names = text.slice(match[0].length).replace(/[.!\s]+$/, '');
  const paths = findPaths(names, context.shielded, true);
  const rest = paths.reduceRight(
    (left, { start, end }) => left.slice(0, start) + left.slice(end),
    names,
  );
  if (paths.length === 0 || /\p{L}/u.test(rest.replace(/\b(?:and|also|the|files?|both)\b/gi, '')))
    return null;
  const [intent, ...more] = before.intents;
  if (!intent || more.length > 0) return null;
  const repeated = paths.map(({ path }) => moveTo(intent, path));
  const intents = repeated.filter((item) => item !== null);
  return intents.length === repeated.length ? { ...before, intents } : null;
}

function moveTo(intent: Intent, path: string): Intent | null {
  switch (intent.act) {
    case 'write':
    case 'edit':
    case 'delete':
    case 'read':
      return { ...intent, path };
    default:
      return null;
  }
}

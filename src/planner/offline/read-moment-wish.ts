// A wish that names a moment: where something begins, from when on it may, or by when it is done.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { changeOf, type DateChange } from '../schedule/date-change.ts';
import { toMs } from '../schedule/time-model.ts';
import type { DateContext } from './date-reading.ts';
import { forNodes, isIt, isPast } from './meant-nodes.ts';
import { endOfDay, findMoment, keepClock, prepareMoments } from './read-moment.ts';

const never =
  /(?:\b(?:not|never)|n['’]t)\b.*\b(?:before|until|till|earlier than)$|\b(?:no earlier than|not before|from|at the earliest(?: on)?)$/i;
const after = /\bafter$/i;
const due =
  /\b(?:by|until|till|before|no later than|at the latest(?: (?:on|by))?|due(?: on)?|deadline\b.*)$/i;
const verbs =
  /^(?:(?:please|and|then|but|do not|don['’]t|never|move|shift|reschedule|put|schedule|start|begin|do|run|set|hold|plan|finish|complete|end|deliver|get|have|postpone|push|bring|delay)\s+|(?:the\s+)?deadline\s+(?:of|for|is)\s*)+/i;
const ending =
  /(?:\s+|^)(?:no earlier than|not earlier than|earlier than|no later than|at the earliest|at the latest|the|not|never|must|should|shall|can|can['’]?t|cannot|may|has to|have to|needs? to|is|are|be|to|on|at|for|in|out|back|forward|instead|only|starts?|begins?|runs?|ends?|finish(?:es|ed)?|done|ready|complete[sd]?|due|over|delivered|happens?|do|don['’]t|deadline|until|till|before|after|by|from)$/i;

export function readMomentWish(wish: string, context: DateContext): boolean {
  const { now, timezone, read } = context;
  const text = prepareMoments(wish.replace(/\s+instead$/i, ''), now, timezone);
  const moment = findMoment(text, now, timezone);
  if (moment === null) return false;
  const before = text.slice(0, moment.index).trim();
  const behind = text.slice(moment.index + moment.length).trim();
  const words = before.replace(/(?:^|\s+)the$/i, '');
  const kind =
    never.test(words) || /^(?:or later|at the earliest|onwards?|on)$/i.test(behind)
      ? 'earliest'
      : after.test(words)
        ? 'after'
        : due.test(words) ||
            /^(?:at the latest|or (?:earlier|sooner))$/i.test(behind) ||
            /\bdeadline\b/i.test(words)
          ? 'due'
          : 'at';
  const rest = behind.replace(
    /^(?:or later|at the (?:earliest|latest)|onwards?|on|or (?:earlier|sooner)|please)$/i,
    '',
  );
  const said = [stripWords(words), stripWords(rest)].filter((part) => part !== '').join(' ');
  // "Move the deadline to Friday" means the one that there is.
  const fits =
    kind === 'due' && isIt(said) && /\bdeadline\b/i.test(words)
      ? ({ deadline }: PlanOutline['nodes'][number]) => deadline !== null
      : null;
  return forNodes(said, context, fits, (node, index) => {
    const change = dateChange(node, index, kind, moment, context);
    const limit = toMs(change.not_before ?? change.deadline);
    if (limit !== null && isPast(limit, node, context)) return;
    read.changes.push(change);
  });
}

type Said = NonNullable<ReturnType<typeof findMoment>>;

function dateChange(
  node: string,
  index: number,
  kind: 'earliest' | 'after' | 'due' | 'at',
  { at, until, day }: Said,
  { timezone, outline, workday }: DateContext,
): DateChange {
  const iso = (moment: number) => toLocalIso(new Date(moment), timezone);
  switch (kind) {
    case 'due':
      return changeOf(node, { deadline: iso(day === null ? at : endOfDay(day, timezone)) });
    case 'earliest':
      return changeOf(node, { not_before: iso(day ?? at), exact: false });
    case 'after':
      return changeOf(node, {
        not_before: iso(day === null ? at : endOfDay(day, timezone)),
        exact: false,
      });
    case 'at': {
      const old = toMs(outline.nodes[index]?.not_before);
      const begin =
        day === null
          ? at
          : old !== null
            ? keepClock(day, old, timezone)
            : workday(node) === null
              ? at
              : day;
      return changeOf(node, {
        not_before: iso(begin),
        exact: day === null,
        ...(until === null || until <= at ? {} : { duration_minutes: (until - at) / 60_000 }),
      });
    }
    default:
      return kind satisfies never;
  }
}

function stripWords(words: string): string {
  let left = words.replace(/[,:]+$/, '').trim();
  for (let last = ''; last !== left; ) {
    last = left;
    left = left
      .replace(verbs, '')
      .replace(ending, '')
      .replace(/[,:]+$/, '')
      .trim();
  }
  return left;
}

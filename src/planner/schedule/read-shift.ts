// "Everything a day later", "bring the launch forward by two hours": moments that move by an amount.
import { toLocalIso } from '#timeline/recurrence.ts';
import { readLength } from '../roadmap/read-amount.ts';
import { changeOf } from './date-change.ts';
import { amountForm } from './date-clauses.ts';
import type { DateContext } from './date-reading.ts';
import { forNodes, isEverything, isPast, nameNode } from './meant-nodes.ts';
import { shiftMoment } from './read-moment.ts';
import { toMs } from './time-model.ts';

const shiftForm = new RegExp(
  String.raw`^(?:(move|shift|push|postpone|delay|put|bring|start|do|run|begin|make)\b\s*)?(.*?)\s*\b(?:(back|forwards?|off|out|up|ahead)\s+)?(?:by\s+)?${amountForm}\s*(later|earlier|sooner|back|forwards?)?$`,
  'i',
);

export function readShift(wish: string, context: DateContext): boolean {
  const match = shiftForm.exec(wish.replace(/\s+(?:please|instead)$/i, ''));
  if (match === null) return false;
  const [, verb = '', words = '', particle = '', length = '', end = ''] = match;
  const direction = findDirection(verb, particle, end);
  const minutes = readLength(length, null);
  if (direction === null || minutes === null) return false;
  return shift(words, direction * minutes, context);
}

function findDirection(verb: string, particle: string, end: string): 1 | -1 | null {
  if (/^later|^back/i.test(end)) return 1;
  if (/^(?:earlier|sooner)/i.test(end)) return -1;
  if (/^(?:postpone|delay|push)/i.test(verb)) return 1;
  if (/^forward/i.test(end) || /^(?:forward|up|ahead)/i.test(particle)) return -1;
  return /^(?:back|off|out)/i.test(particle) ? 1 : null;
}

function shift(words: string, minutes: number, context: DateContext): boolean {
  const { schedule, now, timezone, outline, read } = context;
  const blocks = new Map(schedule?.blocks.map((block) => [block.node, block]));
  if (isEverything(words) && !outline.nodes.some(({ not_before }) => not_before !== null)) {
    const begin = toMs(schedule?.starts_at) ?? now.getTime();
    const to = shiftMoment(begin, minutes, timezone);
    if (to < now.getTime()) {
      read.questions.push(
        'Nothing in the plan has a time that could be earlier. When should it begin?',
      );
      return true;
    }
    for (const { id, parent } of outline.nodes)
      if (parent === null)
        read.changes.push(changeOf(id, { not_before: toLocalIso(new Date(to), timezone) }));
    return true;
  }
  return forNodes(
    words,
    context,
    ({ not_before }) => not_before !== null,
    (node, index) => {
      const block = blocks.get(node);
      const from = toMs(outline.nodes[index]?.not_before) ?? toMs(block?.starts_at);
      const base = from ?? (minutes > 0 ? now.getTime() : null);
      if (base === null) {
        read.questions.push(`${nameNode(context, node)} has no time yet. When should it begin?`);
        return;
      }
      const to = shiftMoment(base, minutes, timezone);
      if (isPast(to, node, context)) return;
      const exact = block?.fixed === true ? true : null;
      read.changes.push(changeOf(node, { not_before: toLocalIso(new Date(to), timezone), exact }));
    },
  );
}

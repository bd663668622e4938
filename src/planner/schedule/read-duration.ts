// "The review takes three days", "shorten it by an hour": how long something takes.
import { readLength } from '../roadmap/read-amount.ts';
import { changeOf } from './date-change.ts';
import { amountForm } from './date-clauses.ts';
import type { DateContext } from './date-reading.ts';
import { forNodes, nameNode } from './meant-nodes.ts';

const durationForms: [RegExp, 'to' | 'more' | 'less'][] = [
  [new RegExp(String.raw`^(?:give|allow|plan)\s+(.+?)\s+${amountForm}\s+more$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:extend|lengthen)\s+(.+?)\s+by\s+${amountForm}$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:shorten|cut|reduce)\s+(.+?)\s+by\s+${amountForm}$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amountForm}\s+longer$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amountForm}\s+shorter$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:give|allow)\s+(.+?)\s+${amountForm}$`, 'i'), 'to'],
  [
    new RegExp(
      String.raw`^(?:shorten|cut|reduce|extend|lengthen|make)\s+(.+?)\s+(?:to\s+)?${amountForm}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
  [
    new RegExp(
      String.raw`^(.+?)\s+(?:(?:will|should|must|may|can|only)\s+)*(?:takes?|lasts?|needs?|is)\s+(?:only\s+|about\s+|just\s+)?${amountForm}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
];

/** A person's day has the hours of a working day. */
export function readDuration(wish: string, context: DateContext): boolean {
  for (const [form, how] of durationForms) {
    const match = form.exec(wish);
    if (match === null) continue;
    return forNodes(match[1] ?? '', context, null, (node, index) => {
      const minutes = readLength(match[2] ?? '', context.workday(node));
      const now = context.outline.nodes[index]?.duration_minutes ?? null;
      if (minutes === null || (how !== 'to' && now === null)) {
        context.read.questions.push(`How long should ${nameNode(context, node)} take?`);
        return;
      }
      const next = how === 'to' ? minutes : (now ?? 0) + (how === 'more' ? minutes : -minutes);
      if (next < 0)
        context.read.questions.push(
          `${nameNode(context, node)} cannot be that much shorter. How long should it take?`,
        );
      else context.read.changes.push(changeOf(node, { duration_minutes: next }));
    });
  }
  return false;
}

// A comment on a single step, as the planner and the plan's history are told of it.
import { cleanLine } from './plain.ts';

/** `Step 2 (Creates b.txt): call it c.md instead`. @param effect what its call does */
export function writeComment(label: string, effect: string, text: string): string {
  return `Step ${label} (${cleanLine(effect)}): ${cleanLine(text)}`;
}

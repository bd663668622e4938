// Changes a refused plan as its feedback says. Steps the feedback is not about keep their ids and words.
import { restoreQuotes, shield } from '../shield.ts';
import { changeTime } from './change-time.ts';
import { changePlace, changeText, replaceValue } from './change-values.ts';
import { removeSteps } from './meant-steps.ts';
import type { Addition, Change, RevisionContext, Rule, Working } from './work.ts';

export type Revision =
  | { kind: 'changed'; work: Working[]; additions: Addition[] }
  | { kind: 'unclear'; text: string };

export const revisionHelp =
  'I can change this plan when you say it like this: "use b.txt instead of a.txt", "without step 2", "change the text to …", "at 10:00 instead", "first …" or "also …". What should change?';

/** Applies feedback part by part. A part that is no change to what is there becomes an addition. */
export function applyFeedback(
  work: Working[],
  feedback: string,
  context: RevisionContext,
): Revision {
  let current = work;
  const additions: Addition[] = [];
  for (const part of splitFeedback(feedback)) {
    const changed = changeWork(current, part, context);
    if (changed !== null && 'unclear' in changed) return { kind: 'unclear', text: changed.unclear };
    if (changed !== null) {
      current = changed.work;
      continue;
    }
    const addition = readAddition(part);
    if (addition === null) return { kind: 'unclear', text: revisionHelp };
    additions.push(addition);
  }
  if (current.length === 0 && additions.length === 0) {
    return {
      kind: 'unclear',
      text: 'Nothing would be left of the plan. Reject it, or say what to do instead?',
    };
  }
  return { kind: 'changed', work: current, additions };
}

function splitFeedback(text: string): string[] {
  const { text: hidden, quotes } = shield(text.replace(/^\s*propose changes\s*:\s*/i, ''));
  const parts = hidden.split(
    /\s*;\s+|\.\s+(?=\p{L})|\s*\n+\s*|\s*,?\s+and\s+(?=(?:use|skip|omit|rename|change|also|without|leave out|call it|name it|drop the|drop step|remove (?:the|step))\b)/iu,
  );
  return parts
    .map((part) =>
      part
        .replace(
          /^(?:please|but|ok|okay|no|well|and|just|i(?:['’]d| would) (?:like|prefer)(?: you)?(?: to)?|can you|could you)\b[,\s]*/i,
          '',
        )
        .replace(/[\s.!]+$/, ''),
    )
    .filter((part) => part !== '')
    .map((part) => restoreQuotes(part, quotes));
}

function changeWork(work: Working[], part: string, context: RevisionContext): Change {
  for (const rule of rules) {
    const change = rule(work, part, context);
    if (change !== null) return change;
  }
  return null;
}

function readAddition(part: string): Addition | null {
  const first =
    /^(?:first(?:ly)?|before (?:that|this|everything|anything(?: else)?))\b[,:]?\s+([\s\S]+)$/i.exec(
      part,
    );
  if (first?.[1]) return { text: first[1], place: 'first' };
  const then =
    /^(?:(?:and\s+)?(?:then|after(?:wards| that)?|finally|at the end)|add a step (?:to|that))\b[,:]?\s+([\s\S]+)$/i.exec(
      part,
    );
  if (then?.[1]) return { text: then[1], place: 'then' };
  const also = /^(?:also|additionally|in addition|plus|and)\b[,:]?\s+([\s\S]+)$/i.exec(part);
  const text = also?.[1] ?? part;
  return /\p{L}/u.test(text) ? { text, place: 'beside' } : null;
}

const rules: Rule[] = [removeSteps, changeText, changeTime, changePlace, replaceValue];

// Takes a wish for other times apart into single wishes; what stands in quotation marks stays whole.
import { shorten } from '#contracts/words.ts';
import { countForm } from '../number-words.ts';
import { squeezeBlanks } from './squeeze-blanks.ts';

const begins =
  "move|shift|push|postpone|delay|put|bring|start|begin|do|run|make|give|allow|let|drop|remove|set|finish|complete|shorten|extend|reschedule|schedule|work|no work|everything|step \\d|the deadline|don[’']t|not before|\\uE000";
const joint = new RegExp(
  String.raw`\s*[;\n]+\s*|\.(?=\s|$)\s*|,?\s+(?:and(?: then)?|but|then)\s+(?=(?:${begins})(?![\p{L}]))|,\s+(?=(?:${begins})(?![\p{L}]))`,
  'iu',
);

/** The single wishes, without what only leads up to them. */
export function splitWishes(feedback: string): string[] {
  const quoted: string[] = [];
  const shielded = squeezeBlanks(feedback)
    .replace(/^\s*propose\s+changes?\s*:\s*/i, '')
    .replace(/[“"]([^”"]*)[”"]/g, (_, title: string) => `\uE000${quoted.push(title) - 1}\uE001`);
  return shielded
    .split(joint)
    .map((part) =>
      part
        .trim()
        .replace(
          /^(?:please|can you|could you|i(?:['’]d| would) like(?: you)? to|we (?:need|have) to|and|then)\s+/i,
          '',
        )
        .replace(/[.?!\s]+$/, '')
        .replace(/\s+please$/i, '')
        .replace(/\uE000(\d+)\uE001/g, (_, at: string) => `“${quoted[Number(at)] ?? ''}”`),
    )
    .filter((part) => part !== '');
}

export function quote(words: string): string {
  return `“${shorten(words.replace(/[“”"]/g, ''), 80)}”`;
}

const one = `(?:${countForm}|a couple of|a quarter of an)`;
const unit = '(?:minutes?|mins?|hours?|hrs?|h|days?|weeks?|fortnights?|months?)';
const counted = String.raw`${one}\s*-?\s*(?:working |business |work)?${unit}`;
/** A length in words or figures, as a part of a pattern with one group: "two hours", "a day and a half". */
export const amountForm = String.raw`(${counted}(?:(?:\s+and)?\s+${counted})*(?:\s+and a half)?)`;

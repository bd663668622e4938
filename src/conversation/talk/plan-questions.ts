// Recognises questions about a waiting plan, to answer them without a model. Pure.
import type { PlanQuestion } from '#cards/plan-answers.ts';
import { trimTail } from '#domain/words.ts';

const longest = 200;
const it = '(?:it|this|that|(?:the|this) plan|everything)';

const step = String.raw`(?:the )?step (?<step>\d{1,6}[a-z]{0,2})`;

/** The first match counts. */
const table: [PlanQuestion['kind'], RegExp][] = [
  [
    'guarded',
    new RegExp(
      `^why (?:is|does|has|must|should) ${step}.*\\b(?:guarded|shield|approv|confirm|ask)`,
    ),
  ],
  ['guarded', new RegExp(`^is ${step} guarded$`)],
  [
    'step',
    new RegExp(
      `^(?:what (?:does|is|will|would|happens (?:in|at|with)|about)|how about|explain|describe|show(?: me)?|tell me about) ${step}\\b`,
    ),
  ],
  [
    'approvers',
    /^who (?:can|may|must|could|should|has to|have to|needs to|else (?:can|may|must)|is allowed to|is asked to) (?:approve|countersign|decide|sign)/,
  ],
  [
    'approvers',
    new RegExp(`^(?:whose approval|who) (?:does|do|is|are) ${it} (?:need|wait|waiting)`),
  ],
  ['duration', /^how (?:long|much time) (?:will|does|would|is|do)\b/],
  [
    'duration',
    new RegExp(
      `^when (?:will|would|does|is) ${it} (?:be (?:done|ready|finished|over)|finish|end|done)`,
    ),
  ],
  ['approval', /^why (?:do|does|must|should|is|has)\b.*\b(?:approve|approval|countersign|decide)/],
  ['steps', new RegExp(`^what (?:will|does|would|is) ${it} (?:do|going to do)$`)],
  ['steps', /^(?:what are|which are|list|show(?: me)?) the steps$/],
];

export function readPlanQuestion(text: string): PlanQuestion | null {
  if (text.length > longest) return null;
  const plain = trimTail(text.normalize('NFKC').toLowerCase(), /[\s?.!]/)
    .trim()
    .replace(/\s+/g, ' ');
  for (const [kind, form] of table) {
    const found = form.exec(plain);
    if (found !== null) return { kind, step: found.groups?.step ?? null };
  }
  return null;
}

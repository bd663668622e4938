// Answers questions about a waiting plan from the plan itself. A table recognises the questions; no model is asked. Pure.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { nameCall, shortenSized } from '#domain/plan/call-words.ts';
import { type NumberedStep, numberSteps } from '#domain/plan/step-numbers.ts';
import { operationName } from '#domain/tool.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';

type Kind = 'step' | 'guarded' | 'approvers' | 'duration' | 'approval' | 'steps';
export type PlanQuestion = { kind: Kind; step: string | null };

const longest = 200;
const it = '(?:it|this|that|(?:the|this) plan|everything)';

const step = String.raw`(?:the )?step (?<step>\d{1,6}[a-z]{0,2})`;

/** The first that fits counts. */
const table: [Kind, RegExp][] = [
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

/** The question about the plan that `text` asks; null: none of these. */
export function readPlanQuestion(text: string): PlanQuestion | null {
  if (text.length > longest) return null;
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s*[?.!]+$/, '')
    .replace(/\s+/g, ' ');
  for (const [kind, form] of table) {
    const found = form.exec(plain);
    if (found !== null) return { kind, step: found.groups?.step ?? null };
  }
  return null;
}

const argsAtMost = 400;
const descriptionAtMost = 200;
const stepsAtMost = 8;

type Numbered = NumberedStep<ShownStep>;

function findSteps(numbered: Numbered[], asked: string): Numbered[] {
  return numbered.filter(({ label, number }) => label === asked || String(number) === asked);
}

function describeStep({ label, step }: Numbered): string {
  const { description, tool, operation, args, after, guarded } = step;
  const name = operationName(tool, operation);
  const given =
    Object.keys(args).length === 0 ? '' : ` with ${shortenSized(JSON.stringify(args), argsAtMost)}`;
  const waits = after.length === 0 ? '' : ` It waits for ${countOf(after.length, 'other step')}.`;
  const reason = ` Planner's reason: “${shorten(description, descriptionAtMost)}”.`;
  return `Step ${label} calls ${name}${given}.${guarded ? ' It is guarded.' : ''}${waits}${reason}`;
}

function describeGuard({ label, step }: Numbered): string {
  const name = operationName(step.tool, step.operation);
  return step.guarded
    ? `Step ${label} calls ${name}, which is guarded here: the operator has listed it, or its own server says that it needs care. It never runs outside an approved plan.`
    : `Step ${label} calls ${name}, which is not guarded. It runs only once the plan is approved, like every step.`;
}

function describeMinutes(minutes: number): string {
  const whole = Math.max(1, Math.round(minutes));
  const hours = Math.floor(whole / 60);
  const rest = whole % 60;
  const parts = [...(hours === 0 ? [] : [`${hours} h`]), ...(rest === 0 ? [] : [`${rest} min`])];
  return parts.join(' ');
}

function describeApprovers({ approvers }: PlanCardFacts): string {
  return approvers === '' ? 'It waits for nobody’s approval.' : `It waits for ${approvers}.`;
}

/** What is answered to the question, from the facts of the plan's card. */
export function answerPlanQuestion(question: PlanQuestion, facts: PlanCardFacts): string {
  const { plan } = facts;
  const numbered = numberSteps(facts.steps);
  switch (question.kind) {
    case 'step':
    case 'guarded': {
      const found = findSteps(numbered, question.step ?? '');
      if (found.length === 0) {
        return `The card of ${plan.id} has no step ${question.step}; its steps go from ${numbered.at(0)?.label ?? 1} to ${numbered.at(-1)?.label ?? 1}.`;
      }
      return found.map(question.kind === 'step' ? describeStep : describeGuard).join('\n');
    }
    case 'approvers':
      return describeApprovers(facts);
    case 'duration':
      return facts.expected_minutes === null
        ? `${plan.id} does not say how long its steps take.`
        : `Its longest chain of steps is expected to take ${describeMinutes(facts.expected_minutes)} of work, once it is approved.`;
    case 'approval':
      return `Nothing of ${plan.id} runs before a person approves exactly version ${plan.version}. ${describeApprovers(facts)}`;
    case 'steps': {
      const named = numbered
        .slice(0, stepsAtMost)
        .map(({ label, step }) => `${label} (${nameCall(step.call)})`);
      const hidden = plan.total_steps - named.length;
      return `Version ${plan.version} of ${plan.id}: ${listOf(hidden > 0 ? [...named, `${hidden} more`] : named)}.`;
    }
    default:
      return question.kind satisfies never;
  }
}

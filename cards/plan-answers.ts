// Answers questions about a waiting plan.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { nameCall, shortenSized } from '#domain/plan/call-words.ts';
import { type NumberedStep, orderByLabel } from '#domain/plan/step-numbers.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { operationName } from '#domain/tool.ts';
import { listOf } from '#domain/words.ts';
import { describeExpected } from './times.ts';

/** `step`: as asked. */
export type PlanQuestion = {
  kind: 'step' | 'guarded' | 'approvers' | 'duration' | 'approval' | 'steps';
  step: string | null;
};

const maxArgs = 400;
const maxDescription = 200;
const maxSteps = 8;

type Numbered = NumberedStep<ShownStep>;

/** By label or number, else ID. */
function findSteps(numbered: Numbered[], asked: string): Numbered[] {
  const named = numbered.filter(({ label, number }) => label === asked || String(number) === asked);
  return named.length > 0 ? named : numbered.filter(({ step }) => step.id === asked);
}

function describeStep({ label, step, after }: Numbered): string {
  const { description, tool, operation, args, guarded } = step;
  const name = operationName(tool, operation);
  const given =
    Object.keys(args).length === 0 ? '' : ` with ${shortenSized(JSON.stringify(args), maxArgs)}`;
  const waits = after === '' ? '' : ` It runs ${after}.`;
  const reason = ` Planner's reason: ${quoteWords(description, maxDescription)}.`;
  return `Step ${label} calls ${name}${given}.${guarded ? ' It is guarded.' : ''}${waits}${reason}`;
}

function describeGuard({ label, step }: Numbered): string {
  const name = operationName(step.tool, step.operation);
  return step.guarded
    ? `Step ${label} calls ${name}, which is guarded: the operator or its own server marked it as sensitive. It never runs outside an approved plan.`
    : `Step ${label} calls ${name}, which is not guarded. Like every step, it runs only after the plan is approved.`;
}

function describeApprovers({ approvers }: PlanCardFacts): string {
  return approvers === '' ? 'It needs no further approval.' : `It waits for ${approvers}.`;
}

export function answerPlanQuestion(question: PlanQuestion, facts: PlanCardFacts): string {
  const { plan } = facts;
  const numbered = orderByLabel(facts.steps, plan.total_steps);
  switch (question.kind) {
    case 'step':
    case 'guarded': {
      const found = findSteps(numbered, question.step ?? '');
      if (found.length === 0) {
        const [first, last] = [numbered.at(0)?.label ?? 1, numbered.at(-1)?.label ?? 1];
        return `${plan.id} has no step ${question.step} on its card. The steps are numbered ${first} to ${last}.`;
      }
      return found.map(question.kind === 'step' ? describeStep : describeGuard).join('\n');
    }
    case 'approvers':
      return describeApprovers(facts);
    case 'duration': {
      const [expected] = describeExpected(facts);
      return expected === undefined
        ? `${plan.id} doesn't say how long its steps take.`
        : `Once approved, ${plan.id} should take ${expected}.`;
    }
    case 'approval':
      return `Nothing in ${plan.id} runs until someone approves exactly version ${plan.version}. ${describeApprovers(facts)}`;
    case 'steps': {
      const named = numbered
        .slice(0, maxSteps)
        .map(({ label, step }) => `${label} (${nameCall(step.call)})`);
      const hidden = plan.total_steps - named.length;
      return `Version ${plan.version} of ${plan.id}: ${listOf(hidden > 0 ? [...named, `${hidden} more`] : named)}.`;
    }
    default:
      return question.kind satisfies never;
  }
}

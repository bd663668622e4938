// Comments on steps as feedback.
import { readTenantOf } from '#db/people/identities.ts';
import { readPlan } from '#db/plans/plans.ts';
import { readSteps, readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { sayHeadline } from '#domain/plan/call-words.ts';
import type { StepComment } from '#domain/plan/plan.ts';
import { labelSteps, maxNumbered } from '#domain/plan/step-numbers.ts';
import { cleanLine } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { describeSteps } from '#tools/describe-call.ts';

const maxEffect = 120;

/** `Step 2 (Creates b.txt): call it c.md instead`. @param effect of the step's call */
function writeComment(label: string, effect: string, text: string): string {
  return `Step ${label} (${cleanLine(effect)}): ${cleanLine(text)}`;
}

/** An older version's pass unchanged: that decision is refused anyway. @throws `plan_not_found`, `unknown_step` */
export async function composeFeedback(
  { db, catalogue }: Pick<ConversationContext, 'db' | 'catalogue'>,
  planId: string,
  version: number,
  comments: StepComment[],
): Promise<string> {
  const plan = await readPlan(db.query, planId);
  if (plan.version !== version) return comments.map(({ text }) => text).join('\n');
  const ids = [...new Set(comments.flatMap(({ step_id }) => step_id ?? []))];
  const own = catalogue.of(await readTenantOf(db.query, planId));
  const named = describeSteps(own, await readStepsById(db.query, planId, ids));
  const byId = new Map(named.map((step) => [step.id, step]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0)
    throw new CountersignError(
      'unknown_step',
      `This plan has no step ${missing.join(', ')}. Reload the plan and comment on the steps it has now.`,
    );
  const known = await readSteps(db.query, planId, {}, 0, maxNumbered);
  const beyond = named.filter(({ id }) => known.every((one) => one.id !== id));
  const labels = labelSteps([...known, ...beyond], plan.total_steps);
  const order = new Map([...labels.keys()].map((id, place) => [id, place]));
  // Comments on the whole plan come last.
  const placeOf = ({ step_id }: StepComment) =>
    step_id === null ? labels.size : (order.get(step_id) ?? 0);
  const ordered = comments.toSorted((a, b) => placeOf(a) - placeOf(b));
  return ordered
    .map(({ step_id, text }) => {
      const step = step_id === null ? undefined : byId.get(step_id);
      if (step === undefined) return text;
      const effect = shorten(sayHeadline(step.call), maxEffect);
      return writeComment(labels.get(step.id) ?? String(step.position), effect, text);
    })
    .join('\n');
}

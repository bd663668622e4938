// Explains late answers, which are not stored.
import { readLastSettlement } from '#db/audit/audit.ts';
import type { Queryable } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readLabels } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';

const maxQuoted = 200;

function quote(data: JsonObject): string {
  const answer = typeof data.answer === 'string' ? data.answer.trim() : '';
  if (answer === '') return '.';
  return `: ${quoteWords(answer, maxQuoted)}.`;
}

/** `Ana for Ben` if in his place. */
async function nameAnswerer(
  tx: Queryable,
  { actor, data }: { actor: string; data: JsonObject },
): Promise<string> {
  const name = quoteName(await showName(tx, actor), 120);
  return typeof data.for === 'string'
    ? `${name} for ${quoteName(await showName(tx, data.for), 120)}`
    : name;
}

function describeSettlement(step: string, actor: string, action: string, data: JsonObject): string {
  if (data.yes_or_no === true) return `Step ${step} was already answered by ${actor}${quote(data)}`;
  switch (action) {
    case 'settle_done':
      return `Step ${step} was already answered by ${actor}${quote(data)}`;
    case 'settle_failed':
      return `Step ${step} can't be done, as ${actor} already said${quote(data)}`;
    case 'settle_skip':
      return `Step ${step} was left out, as ${actor} already decided.`;
    default:
      return `Step ${step} is being retried, as ${actor} already asked${quote(data)}`;
  }
}

/** @throws `already_decided`, `invalid_transition`; returns if no one has answered */
export async function explainLateAnswer(
  tx: Queryable,
  row: PlanRow,
  steps: string[],
): Promise<void> {
  const settlement = await readLastSettlement(tx, row.id, steps);
  const labels = await readLabels(tx, row.id, steps);
  const nameStep = (id: string) => labels.get(id) ?? id;
  if (settlement !== null) {
    throw new CountersignError(
      'already_decided',
      `${describeSettlement(nameStep(settlement.step), await nameAnswerer(tx, settlement), settlement.action, settlement.data)} Your answer was not stored.`,
      { details: { step: settlement.step, by: settlement.actor } },
    );
  }
  const [first] = steps;
  if (row.status === 'cancelled' && first !== undefined) {
    const by = row.decided_by === null ? '' : ` by ${await showName(tx, row.decided_by)}`;
    throw new CountersignError(
      'invalid_transition',
      `This plan was cancelled${by}, so step ${nameStep(first)} no longer needs an answer. Your answer was not stored.`,
      { details: { status: row.status } },
    );
  }
}

// Operation search, fields, suggestions and previews for plan forms.
import { readManifests } from '#db/backends.ts';
import { joinTransaction } from '#db/database.ts';
import { readKnownPeople } from '#db/people/known-people.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { foldName } from '#domain/people/names.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { type Catalogue, isOffered, type OperationSpec } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import {
  createOperationSearch,
  type OperationSearch,
} from '#planner/catalogue/search-operations.ts';
import { preparePropose } from '#plans/change/propose.ts';
import { formOf, offerOf } from '#tools/operation-form.ts';
import { readCardFacts } from './plan-card.ts';

const maxSuggested = 50;
const suggestWithinMs = 2000;
/** Larger drafts are checked when proposed. */
const maxPreviewed = 200;

async function openCatalogue({ db, catalogue }: ConversationContext, { tenant }: Actor) {
  await catalogue.refresh(() => readManifests(db.query));
  return catalogue.of(tenant ?? null);
}

const listOffered = (catalogue: Catalogue): OperationSpec[] => catalogue.list().filter(isOffered);

type OperationForms = Pick<Service, 'findOperations' | 'getOperation' | 'suggestValues'>;

export function createOperationForms(context: ConversationContext): OperationForms {
  const search: OperationSearch = createOperationSearch();
  const { guardedTools: guarded, db } = context;

  async function find(name: string, actor: Actor) {
    const found = (await openCatalogue(context, actor)).get(name);
    if (found !== undefined && isOffered(found)) return found;
    throw new CountersignError(
      'unknown_operation',
      `There is no operation ${name}. Search the list of operations.`,
    );
  }

  return {
    async findOperations(words, limit, actor) {
      const all = listOffered(await openCatalogue(context, actor));
      const found =
        words.trim() === ''
          ? all.filter(({ seldom }) => seldom !== true).slice(0, limit)
          : search.find(all, words, limit);
      return found.map((spec) => offerOf(spec, guarded));
    },
    getOperation: async (name, actor) => formOf(await find(name, actor), guarded),
    async suggestValues(name, field, typed, actor) {
      const spec = await find(name, actor);
      const pick = formOf(spec, guarded).fields.find((one) => one.name === field)?.pick ?? null;
      const known =
        pick === 'person'
          ? await readKnownPeople(db.query, actor.tenant ?? null, context.approvers)
          : pick === 'file'
            ? ((await spec.suggest?.(AbortSignal.timeout(suggestWithinMs))) ?? []).map((value) => ({
                value,
                label: value,
              }))
            : [];
      const wanted = foldName(typed);
      return known
        .filter(({ value, label }) => [value, label].some((one) => foldName(one).includes(wanted)))
        .slice(0, maxSuggested);
    },
  };
}

class Undone extends Error {}

/** Stored, read and rolled back in one transaction. @throws the draft's errors */
export async function previewProposal(
  context: ConversationContext,
  draft: PlanDraft,
  origin: Parameters<typeof preparePropose>[2],
  viewer: { user: string; timezone: string },
  actor: Actor,
): Promise<PlanCardFacts> {
  const { steps, series = [] } = draft;
  if (series.reduce((sum, one) => sum + one.steps.length, steps.length) > maxPreviewed)
    throw new CountersignError(
      'limit_exceeded',
      `Drafts of up to ${maxPreviewed} steps are previewed. Propose this one to read its card.`,
    );
  const store = await preparePropose(context, draft, origin, actor);
  let facts: PlanCardFacts | null = null;
  try {
    await context.db.transaction(async (tx) => {
      const { id } = await store(tx);
      facts = await readCardFacts({ ...context, db: joinTransaction(context.db, tx) }, id, viewer);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  if (facts === null) throw new Error('the draft was not read');
  return facts;
}

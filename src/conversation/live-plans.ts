// Live plans in memory; each read first refreshes the changed ones.
import type { Database } from '#db/database.ts';
import {
  type Horizon,
  type LivePlan,
  type OpenQuestion,
  readLiveIds,
  readLivePlans,
  readOpenQuestions,
} from '#db/plans/groups.ts';
import { coalesce } from '#domain/coalesce.ts';
import { lowerAscii } from '#domain/people/names.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';

/** `names`: people asked, in lower case. */
export type KeptPlan = LivePlan & { questions: OpenQuestion[]; names: string[] };

/** Latest activity first. */
export type LivePlans = () => Promise<readonly KeptPlan[]>;

/** Kept between reads; beyond it, each read reads all. */
const usualMostKept = 100_000;
/** Then reread: transaction IDs are comparable for a limited time. */
const keptForMs = 600_000;

const byActivity = (a: KeptPlan, b: KeptPlan) =>
  b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1);

function keep(plan: LivePlan, questions: OpenQuestion[]): KeptPlan {
  const people = 'people' in plan.approver_policy ? plan.approver_policy.people : [];
  const assignees = questions.flatMap(({ status, assignee }) =>
    status === 'waiting' && assignee !== null ? [assignee] : [],
  );
  const names = [plan.requester, ...people, ...assignees].map(lowerAscii);
  return { ...plan, questions, names: [...new Set(names)] };
}

/** Readers during a read share the next one. */
export function createLivePlans(
  { query }: Pick<Database, 'query'>,
  mostKept = usualMostKept,
): LivePlans {
  let plans = new Map<string, KeptPlan>();
  let known: Horizon | null = null;
  let readAt = 0;

  function forget(): void {
    plans = new Map();
    known = null;
  }

  async function readChanges() {
    const found = await readLivePlans(query, known);
    if (known === null || found.server === known.server) return found;
    forget();
    return readLivePlans(query, null);
  }

  async function update(): Promise<readonly KeptPlan[]> {
    if (performance.now() - readAt > keptForMs) forget();
    const { plans: changed, total, horizon, server } = await readChanges();
    const asking = changed.flatMap(({ id, asks_steps }) => (asks_steps ? [id] : []));
    const found = asking.length === 0 ? [] : await readOpenQuestions(query, { ids: asking });
    const questions = Map.groupBy(found, ({ plan_id }) => plan_id);
    for (const plan of changed) {
      if (isSliceOver()) await nextTurn();
      plans.set(plan.id, keep(plan, questions.get(plan.id) ?? []));
    }
    if (plans.size !== total) {
      const live = await readLiveIds(query);
      for (const id of plans.keys()) if (!live.has(id)) plans.delete(id);
    }
    known = { horizon, server };
    readAt = performance.now();
    const read = [...plans.values()].sort(byActivity);
    const size = read.reduce((sum, plan) => sum + 1 + plan.questions.length, 0);
    if (size > mostKept) forget();
    return read;
  }

  return coalesce(async () => {
    try {
      return await update();
    } catch (error) {
      forget();
      throw error;
    }
  });
}

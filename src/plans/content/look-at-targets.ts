// Looks up a plan's targets when proposed (A12), bounded.
import type { Step } from '#domain/plan/plan.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import type { NormalPlan } from './normalise.ts';
import { bindStep } from './normalise-step.ts';
import { meet, touchesOf } from './touches.ts';

const maxTargets = 200;
const atOnce = 8;
const withinMs = 1000;
/** Steps traced back to find a target's creator. */
const maxFollowed = 20_000;

type EarlierStep = Pick<Step, 'id' | 'tool' | 'effect' | 'args' | 'after'>;
type TargetStep = EarlierStep & Pick<Step, 'operation'> & { review_rank: ReviewRank };

/** Whether earlier steps may create a target. For one plan. */
class EarlierSteps {
  readonly #byId: Map<string, EarlierStep>;
  readonly #first = new Map<string, string>();
  #left = maxFollowed;

  constructor(steps: EarlierStep[]) {
    this.#byId = new Map(steps.map((step) => [step.id, step]));
    for (const step of steps.slice(0, maxFollowed)) {
      if (step.effect === 'read') continue;
      for (const place of touchesOf(step))
        if (!this.#first.has(place)) this.#first.set(place, step.id);
    }
  }

  /** @param missing the target must exist: made earlier, or absent */
  mayMakeTargetOf(step: EarlierStep, missing: boolean): boolean {
    const places = touchesOf(step);
    if (!missing && places.some((place) => (this.#first.get(place) ?? step.id) !== step.id))
      return true;
    const open = step.after.map(({ id }) => id);
    const met = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#left-- <= 0) return true;
      const earlier = this.#byId.get(id);
      // An unread step may touch anything.
      if (earlier === undefined) return true;
      if (earlier.effect !== 'read' && meet(touchesOf(earlier), places)) return true;
      for (const before of earlier.after) {
        if (met.has(before.id)) continue;
        met.add(before.id);
        open.push(before.id);
      }
    }
    return false;
  }
}

/** Most relevant for review first. */
function choose<T extends TargetStep>(steps: T[]): T[] {
  const byRank = new Map<number, T[]>();
  for (const step of steps) {
    const rank = byRank.get(step.review_rank) ?? [];
    if (rank.length >= maxTargets) continue;
    rank.push(step);
    byRank.set(step.review_rank, rank);
  }
  return [4, 3, 2, 1, 0].flatMap((rank) => byRank.get(rank) ?? []).slice(0, maxTargets);
}

/** Before `all` have run. Failed lookups never block a proposal. @param all these steps and all before them */
export async function lookAt<T extends TargetStep>(
  catalogue: Pick<Catalogue, 'get'>,
  steps: T[],
  all: EarlierStep[],
): Promise<Map<T, SeenState>> {
  const found = new Map<T, SeenState>();
  const inspectOf = ({ tool, operation }: T) =>
    catalogue.get(operationName(tool, operation))?.inspect;
  const chosen = choose(steps).filter((step) => inspectOf(step) !== undefined);
  if (chosen.length === 0) return found;
  const earlier = new EarlierSteps(all);
  const signal = AbortSignal.timeout(withinMs);
  const late = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const look = async (step: T): Promise<SeenState | null> => {
    if (signal.aborted) return null;
    const looking = inspectOf(step)?.(step.args, signal);
    const state = await Promise.race([looking ?? null, late]).catch(() => null);
    // A missing target may exist by then; an existing one is reported anyway.
    if (state === null || state.state === 'exists') return state;
    if (!earlier.mayMakeTargetOf(step, state.state === 'missing')) return state;
    return state.onto === undefined ? null : { ...state, state: 'exists' };
  };
  const queue = chosen.values();
  const work = async () => {
    for (const step of queue) {
      const seen = await look(step);
      if (seen !== null) found.set(step, seen);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found;
}

export async function lookAtTargets(
  catalogue: Pick<Catalogue, 'get'>,
  { steps }: NormalPlan,
  looked: NormalPlan['steps'],
): Promise<void> {
  for (const [step, seen] of await lookAt(catalogue, looked, steps)) {
    step.seen = seen;
    Object.assign(step, bindStep(step, catalogue.get(operationName(step.tool, step.operation))));
  }
}

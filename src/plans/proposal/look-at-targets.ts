// Looks up the state of the targets when a plan or patch is proposed (A12). Limited in number and time; what was not looked up is null.
import { posix } from 'node:path';
import type { Step } from '#domain/plan/plan.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { Json } from '#domain/text.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import type { NormalPlan } from './normalise.ts';
import { bindStep } from './normalise-step.ts';

const lookedAtMost = 200;
const atOnce = 8;
const withinMs = 1000;
/** Steps followed back in all, to find out whether the plan itself makes what a step touches. */
const followedAtMost = 20_000;
const pathAtMost = 2000;

type EarlierStep = Pick<Step, 'id' | 'tool' | 'effect' | 'args' | 'after'>;
type LookedAt = EarlierStep & Pick<Step, 'operation'> & { review_rank: ReviewRank };

/** Everything in the arguments that may be a path, in its shortest form. */
function pathsIn(value: Json): string[] {
  if (typeof value === 'string')
    return value === '' || value.length > pathAtMost || value.includes('\n')
      ? []
      : [posix.normalize(value).replace(/\/+$/, '')];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(pathsIn);
}

const holds = (folder: string, path: string) =>
  folder === '.' || folder === path || path.startsWith(`${folder}/`);

/** Whether one of the two may touch what the other does: the same place, or a folder and what is in it. */
function mayTouchTheSame(one: string[], others: string[]): boolean {
  return one.some((a) => others.some((b) => holds(a, b) || holds(b, a)));
}

/** Tells of a step whether an earlier one of the plan may change what it touches. Used for one plan. */
class EarlierSteps {
  readonly #byId: Map<string, EarlierStep>;
  readonly #paths = new Map<string, string[]>();
  #left = followedAtMost;

  constructor(steps: EarlierStep[]) {
    this.#byId = new Map(steps.map((step) => [step.id, step]));
  }

  #pathsOf(step: EarlierStep): string[] {
    const known = this.#paths.get(step.id) ?? pathsIn(step.args);
    this.#paths.set(step.id, known);
    return known;
  }

  /** Whether `earlier` may change what `step` touches: it names the same, or nobody knows yet what it will name. */
  #mayChange(earlier: EarlierStep, step: EarlierStep): boolean {
    if (earlier.effect === 'read') return false;
    if (earlier.tool === step.tool && /"\$(from|decide)"/.test(JSON.stringify(earlier.args)))
      return true;
    return mayTouchTheSame(this.#pathsOf(earlier), this.#pathsOf(step));
  }

  mayChangeTargetOf(step: EarlierStep): boolean {
    const open = step.after.map(({ id }) => id);
    const met = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#left-- <= 0) return true;
      const earlier = this.#byId.get(id);
      // Of an earlier step that was not read nobody knows what it touches.
      if (earlier === undefined || this.#mayChange(earlier, step)) return true;
      for (const before of earlier.after) {
        if (met.has(before.id)) continue;
        met.add(before.id);
        open.push(before.id);
      }
    }
    return false;
  }
}

/** The steps that are looked at, those first that a reviewer should see first. */
function choose<T extends LookedAt>(steps: T[]): T[] {
  const byRank = new Map<number, T[]>();
  for (const step of steps) {
    const rank = byRank.get(step.review_rank) ?? [];
    if (rank.length >= lookedAtMost) continue;
    rank.push(step);
    byRank.set(step.review_rank, rank);
  }
  return [4, 3, 2, 1, 0].flatMap((rank) => byRank.get(rank) ?? []).slice(0, lookedAtMost);
}

/**
 * What the targets of `steps` look like now, as far as anybody can say before `all` have run. Nothing that goes wrong here
 * stands against a proposal.
 * @param all the steps that come before them, and themselves
 */
export async function lookAt<T extends LookedAt>(
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
    if (signal.aborted || earlier.mayChangeTargetOf(step)) return null;
    const state = inspectOf(step)?.(step.args, signal);
    return Promise.race([state ?? null, late]).catch(() => null);
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

/**
 * Notes in the steps of a new version what their targets look like now.
 * @param count how many of its steps, from the first on, may be looked at; occurrences of series run on other days
 */
export async function lookAtTargets(
  catalogue: Pick<Catalogue, 'get'>,
  { steps }: NormalPlan,
  count: number,
): Promise<void> {
  for (const [step, seen] of await lookAt(catalogue, steps.slice(0, count), steps)) {
    step.seen = seen;
    Object.assign(step, bindStep(step, catalogue.get(operationName(step.tool, step.operation))));
  }
}

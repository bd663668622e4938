// What the targets of a proposal look like when it is made (A12). Bounded in number and in time: what was not looked at stays null.
import { posix } from 'node:path';
import type { SeenState } from '#contracts/seen.ts';
import type { Json } from '#contracts/text.ts';
import { type Catalogue, operationName } from '#contracts/tool.ts';
import type { NormalPlan } from './normalise.ts';
import { bindStep } from './normalise-step.ts';

const lookedAtMost = 200;
const atOnce = 8;
const withinMs = 1000;
/** Steps followed back in all, to find out whether the plan itself makes what a step touches. */
const followedAtMost = 20_000;
const pathAtMost = 2000;

type NormalStep = NormalPlan['steps'][number];

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
  readonly #byId: Map<string, NormalStep>;
  readonly #paths = new Map<string, string[]>();
  #left = followedAtMost;

  constructor(steps: NormalStep[]) {
    this.#byId = new Map(steps.map((step) => [step.id, step]));
  }

  #pathsOf(step: NormalStep): string[] {
    const known = this.#paths.get(step.id) ?? pathsIn(step.args);
    this.#paths.set(step.id, known);
    return known;
  }

  /** Whether `earlier` may change what `step` touches: it names the same, or nobody knows yet what it will name. */
  #mayChange(earlier: NormalStep, step: NormalStep): boolean {
    if (earlier.effect === 'read') return false;
    if (earlier.tool === step.tool && /"\$(from|decide)"/.test(JSON.stringify(earlier.args)))
      return true;
    return mayTouchTheSame(this.#pathsOf(earlier), this.#pathsOf(step));
  }

  mayChangeTargetOf(step: NormalStep): boolean {
    const open = step.after.map(({ id }) => id);
    const met = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#left-- <= 0) return true;
      const earlier = this.#byId.get(id);
      if (earlier === undefined) continue;
      if (this.#mayChange(earlier, step)) return true;
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
function choose({ steps }: NormalPlan, count: number): NormalStep[] {
  const byRank = new Map<number, NormalStep[]>();
  for (const step of steps.slice(0, count)) {
    const rank = byRank.get(step.review_rank) ?? [];
    if (rank.length >= lookedAtMost) continue;
    rank.push(step);
    byRank.set(step.review_rank, rank);
  }
  return [4, 3, 2, 1, 0].flatMap((rank) => byRank.get(rank) ?? []).slice(0, lookedAtMost);
}

/**
 * Notes in the steps of a new version what their targets look like now. Nothing that goes wrong here stands against a proposal.
 * @param count how many of its steps, from the first on, may be looked at; occurrences of series run on other days
 */
export async function lookAtTargets(
  catalogue: Pick<Catalogue, 'get'>,
  normal: NormalPlan,
  count: number,
): Promise<void> {
  const specOf = ({ tool, operation }: NormalStep) => catalogue.get(operationName(tool, operation));
  const chosen = choose(normal, count).filter((step) => specOf(step)?.inspect !== undefined);
  if (chosen.length === 0) return;
  const earlier = new EarlierSteps(normal.steps);
  const signal = AbortSignal.timeout(withinMs);
  const late = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const look = async (step: NormalStep): Promise<SeenState | null> => {
    if (signal.aborted || earlier.mayChangeTargetOf(step)) return null;
    const found = specOf(step)?.inspect?.(step.args, signal);
    return Promise.race([found ?? null, late]).catch(() => null);
  };
  const queue = chosen.values();
  const work = async () => {
    for (const step of queue) {
      const seen = await look(step);
      if (seen === null) continue;
      step.seen = seen;
      Object.assign(step, bindStep(step, specOf(step)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

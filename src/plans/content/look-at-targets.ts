// Looks up the targets a plan writes to: their state when it is proposed (A12), limited in number and time and checked again
// before the call. Also checks where it may post: never another person's private chat with the bot.
import { findPostTargets, listPostTargets } from '#db/chat/places.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf } from '#db/people/identities.ts';
import { readRun } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import type { NormalPlan } from './normalise.ts';
import { bindStep } from './normalise-step.ts';
import { Problems } from './problems.ts';
import { meet, touchesOf } from './touches.ts';

const maxTargets = 200;
const atOnce = 8;
const withinMs = 1000;
/** Limit of steps traced back in all to find one that creates a target. */
const maxFollowed = 20_000;

type EarlierStep = Pick<Step, 'id' | 'tool' | 'effect' | 'args' | 'after'>;
type TargetStep = EarlierStep & Pick<Step, 'operation'> & { review_rank: ReviewRank };

/** Tells whether an earlier step of the plan may create a step's target. Used for one plan. */
class EarlierSteps {
  readonly #byId: Map<string, EarlierStep>;
  /** The first step that changes each place. */
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

  /** @param missing the target must exist, so it is either created earlier or absent */
  mayMakeTargetOf(step: EarlierStep, missing: boolean): boolean {
    const places = touchesOf(step);
    if (!missing && places.some((place) => (this.#first.get(place) ?? step.id) !== step.id))
      return true;
    const open = step.after.map(({ id }) => id);
    const met = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#left-- <= 0) return true;
      const earlier = this.#byId.get(id);
      // An earlier step that was not read may touch anything.
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

/** The steps to look at, most relevant for review first. */
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

/**
 * The current state of the targets of `steps`, as far as it is known before `all` have run. A failed lookup never blocks a
 * proposal.
 * @param all the steps themselves and all steps before them
 */
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
    // An existing target is reported regardless of earlier steps; a missing one may exist by then.
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

/** Adds the current state of their targets to steps of a new version. */
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

/** The plan that posts. */
type Poster = { conversation: string | null; requester: string };

/** Why nothing can be posted to `targets`, one sentence each; targets without a refusal are omitted. */
async function findRefusals(
  db: Queryable,
  { conversation, requester }: Poster,
  targets: string[],
): Promise<Map<string, string>> {
  const others = [...new Set(targets)].filter((target) => target !== conversation);
  if (others.length === 0) return new Map();
  const names = (await readNamesOf(db, [requester])).map(({ name }) => name);
  const found = await findPostTargets(db, conversation, names, others);
  const refusals = new Map<string, string>();
  for (const target of others) {
    const place = found.get(target);
    // Does not reveal whether the conversation exists elsewhere.
    if (place === undefined || !place.near) {
      refusals.set(
        target,
        `This plan can't post in "${target.slice(0, 200)}": no conversation it can reach has that name. Leave "conversation" out to post where the plan was asked for.`,
      );
    } else if (place.private) {
      refusals.set(
        target,
        `The conversation "${target}" is somebody's private chat, in which only its own plans post.`,
      );
    } else if (place.broken !== null) {
      refusals.set(target, `Nothing can be posted in "${target}": ${place.broken}`);
    }
  }
  return refusals;
}

/** @throws CountersignError `invalid_arguments` if the plan may not post there, or the conversation does not exist */
export async function requirePostTarget(
  db: Queryable,
  poster: Poster,
  target: string,
): Promise<void> {
  const refusal = (await findRefusals(db, poster, [target])).get(target);
  if (refusal !== undefined) throw new CountersignError('invalid_arguments', refusal);
}

/** Checks the targets of posting steps. @throws CountersignError `invalid_arguments` that names them */
export async function requirePostTargets(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  poster: Poster,
  steps: Iterable<Pick<StepContent, 'id' | 'tool' | 'operation' | 'args'>>,
): Promise<void> {
  const posts: { id: string; target: string }[] = [];
  for (const { id, tool, operation, args } of steps) {
    const target = args.conversation;
    if (tool !== 'chat' || operation !== 'post' || typeof target !== 'string') continue;
    if (catalogue.get(operationName(tool, operation))?.source !== 'builtin') continue;
    posts.push({ id, target });
  }
  const targets = posts.map(({ target }) => target);
  const refusals = await findRefusals(db, poster, targets);
  const problems = new Problems();
  for (const { id, target } of posts) {
    const refusal = refusals.get(target);
    if (refusal !== undefined) problems.add('invalid_arguments', 'steps', `Step ${id}: ${refusal}`);
  }
  problems.settle();
}

/** The conversations that planners may let their plans post to. */
export function createPostTargets(db: Queryable) {
  const posterOf = async (runId: string): Promise<Poster> => {
    const { conversation, user } = await readRun(db, runId);
    return { conversation, requester: user };
  };
  return {
    async list(runId: string) {
      const { conversation, requester } = await posterOf(runId);
      if (conversation === null) return [];
      const names = (await readNamesOf(db, [requester])).map(({ name }) => name);
      return listPostTargets(db, conversation, names);
    },
    refuse: async (runId: string, targets: string[]) =>
      findRefusals(db, await posterOf(runId), targets),
  };
}

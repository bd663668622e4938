// Looks up the targets a plan writes to: their state when it is proposed (A12), limited in number and time and checked again
// before the call. Also checks where it may post: never another person's private chat with the bot.
import { findPlace, findPostTargets, listPostTargets, namePlace } from '#db/chat/places.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf } from '#db/people/identities.ts';
import { readRun } from '#db/planning/runs.ts';
import { platformOf } from '#domain/chat/chat.ts';
import type { PlaceFinders } from '#domain/chat/find-place.ts';
import {
  pinSteps,
  pinTarget,
  postTargetOf,
  readTarget,
  type Target,
} from '#domain/chat/post-target.ts';
import { CountersignError } from '#domain/errors.ts';
import { addedBy, type PlanPatch } from '#domain/plan/patch.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { StepContent, StepDraft } from '#domain/plan/step-content.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import type { PlansContext } from '../plans-context.ts';
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

/** Does not reveal whether the conversation exists elsewhere. */
const unreachable = (target: string) =>
  `This plan can't post in "${target.slice(0, 200)}": no conversation it can reach has that name. Leave "conversation" out to post where the plan was asked for.`;

/** Why nothing can be posted to each of these conversations; those where something can are omitted. */
async function findRefusals(
  db: Queryable,
  { conversation, requester }: Poster,
  targets: string[],
): Promise<Map<string, string>> {
  const others = [...new Set(targets)].filter((target) => target !== conversation);
  if (others.length === 0) return new Map();
  const names = (await readNamesOf(db, [requester])).map(({ name }) => name);
  const ids = others.map((target) => readTarget(target).conversation);
  const found = await findPostTargets(db, conversation, names, ids);
  const refusals = new Map<string, string>();
  for (const target of others) {
    const { name, conversation: id } = readTarget(target);
    const place = found.get(id);
    // Only the platform's own name is shown with an ID.
    if (place === undefined || !place.near || (name !== null && place.name !== name)) {
      refusals.set(target, unreachable(target));
    } else if (place.private && name === null) {
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

/** Finds a place by the name people use, or null if the platform isn't asked. */
async function findNamed(
  db: Queryable,
  finders: PlaceFinders,
  { conversation, requester }: Poster,
  target: string,
): Promise<Target | null> {
  const from = conversation === null ? null : await findPlace(db, conversation);
  const find = from === null ? undefined : finders[from.platform];
  if (from === null || find === undefined) return null;
  const found = await find(from, requester, target).catch((error: unknown) => {
    // A missing scope or a limit of the platform: said to the planner, like a missing channel.
    if (error instanceof CountersignError) return { refusal: error.message };
    throw error;
  });
  if ('refusal' in found) return found;
  const name = found.name.slice(0, 200);
  return { pinned: pinTarget({ name, conversation: await namePlace(db, found.place, name) }) };
}

/** Resolves what a plan posts to: names are looked up on the platform and pinned, conversations are checked. */
async function resolveTargets(
  db: Queryable,
  finders: PlaceFinders,
  poster: Poster,
  targets: string[],
): Promise<Map<string, Target>> {
  const resolved = new Map<string, Target>();
  const refusals = await findRefusals(db, poster, targets);
  for (const target of new Set(targets)) {
    const refusal = refusals.get(target);
    const isName = platformOf(readTarget(target).conversation) === null;
    const named =
      refusal !== undefined && isName ? await findNamed(db, finders, poster, target) : null;
    resolved.set(target, named ?? (refusal === undefined ? { pinned: target } : { refusal }));
  }
  return resolved;
}

/** The steps with the places they post to pinned; those with a refusal stay as they are, and are refused later. */
export async function pinPosts<S extends Pick<StepDraft, 'tool' | 'operation' | 'args'>>(
  { db, places }: Pick<PlansContext, 'db' | 'places'>,
  poster: Poster,
  steps: S[],
): Promise<S[]> {
  const targets = steps.flatMap((step) => postTargetOf(step) ?? []);
  if (targets.length === 0) return steps;
  const resolved = await resolveTargets(db.query, places?.() ?? {}, poster, targets);
  return pinSteps(steps, resolved);
}

/** The same for the steps that a patch adds. */
export async function pinPatchPosts<P extends Pick<PlanPatch, 'operations'>>(
  context: Pick<PlansContext, 'db' | 'places'>,
  poster: Poster,
  patch: P,
): Promise<P> {
  const added = patch.operations.flatMap((operation) => addedBy(operation) ?? []);
  const pinned = await pinPosts(context, poster, added);
  const next = pinned.values();
  const operations = patch.operations.map((operation) => {
    if (addedBy(operation) === null) return operation;
    const { value: step } = next.next();
    if (step === undefined) return operation;
    return operation.op === 'add_step'
      ? { ...operation, step }
      : operation.op === 'replace_step'
        ? { ...operation, by: step }
        : operation;
  });
  return { ...patch, operations };
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
    const target = postTargetOf({ tool, operation, args });
    if (target === null) continue;
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
export function createPostTargets(db: Queryable, places: () => PlaceFinders) {
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
    resolve: async (runId: string, targets: string[]) =>
      resolveTargets(db, places(), await posterOf(runId), targets),
  };
}

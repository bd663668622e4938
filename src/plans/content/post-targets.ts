// Where plans may post: only where their requester is.
import {
  findPlace,
  findPostTargets,
  listPostTargets,
  namePlace,
  type PostPlace,
} from '#db/chat/places.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf } from '#db/people/identities.ts';
import { readRun } from '#db/planning/runs.ts';
import { readSeries } from '#db/plans/series.ts';
import { hasOperation } from '#db/sql/impact.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { platformOf } from '#domain/chat/chat.ts';
import type { PlaceFinders } from '#domain/chat/find-place.ts';
import {
  pinSteps,
  pinTarget,
  postTargetOf,
  readTarget,
  type Target,
} from '#domain/chat/post-target.ts';
import { CountersignError, Problems } from '#domain/errors.ts';
import { addedBy, type PatchOperation, type PlanPatch } from '#domain/plan/patch.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlansContext } from '../plans-context.ts';

type Poster = { conversation: string | null; requester: string };

/** Doesn't reveal whether it exists elsewhere. */
const unreachable = (target: string) =>
  `This plan can't post in "${target.slice(0, 200)}": no conversation it can reach has that name. To post where the plan was asked for, leave "conversation" out (as a command: post "…" here).`;

const unchecked = (target: string) =>
  `Who is in "${target}" can't be checked: this process isn't connected to its chat platform. Ask there, or leave "conversation" out to post where the plan was asked for.`;

function findRefusal(target: string, place: PostPlace | null): string | null {
  const { name } = readTarget(target);
  if (place === null || !place.near || (name !== null && place.name === null))
    return unreachable(target);
  if (place.private && name === null)
    return `The conversation "${target}" is someone's private chat; only plans from that chat can post there.`;
  return place.broken === null ? null : `Nothing can be posted in "${target}": ${place.broken}`;
}

async function findPlaces(
  db: Queryable,
  { conversation, requester }: Poster,
  targets: string[],
): Promise<Map<string, PostPlace>> {
  if (targets.length === 0) return new Map();
  const names = (await readNamesOf(db, [requester])).map(({ name }) => name);
  const ids = targets.map((target) => readTarget(target).conversation);
  return findPostTargets(db, conversation, names, ids);
}

/** On the poster's platform, by name; or checks a known place. */
async function findThere(
  db: Queryable,
  finders: PlaceFinders,
  { conversation, requester }: Poster,
  target: string,
  known: PostPlace | null,
): Promise<Target> {
  const from = conversation === null ? null : await findPlace(db, conversation);
  const find = from === null ? undefined : finders[from.platform];
  if (from === null || find === undefined)
    return known === null
      ? { refusal: unreachable(target) }
      : { refusal: unchecked(target), unasked: true };
  const found = await find(from, requester, known ?? target);
  if (found === null) return { refusal: unreachable(target) };
  if ('refusal' in found) return found;
  const name = found.name.slice(0, 200);
  return { pinned: pinTarget({ name, conversation: await namePlace(db, found.place, name) }) };
}

/** Checks members there, and pins under the platform's name rather than the one given. */
async function checkKnown(
  db: Queryable,
  finders: PlaceFinders,
  poster: Poster,
  target: string,
  place: PostPlace | null,
): Promise<Target> {
  const refusal = findRefusal(target, place);
  if (refusal !== null) return { refusal };
  if (!place?.alone) return findThere(db, finders, poster, target, place);
  const { name } = place;
  const { conversation } = readTarget(target);
  return { pinned: name === null ? target : pinTarget({ name, conversation }) };
}

/** Platform problems are told to the planner, like a missing channel. */
function refuse(error: unknown): Target {
  if (error instanceof CountersignError) return { refusal: error.message };
  throw error;
}

async function resolveTargets(
  db: Queryable,
  finders: PlaceFinders,
  poster: Poster,
  targets: string[],
): Promise<Map<string, Target>> {
  const resolved = new Map<string, Target>();
  const others = [...new Set(targets)].filter((target) => target !== poster.conversation);
  const places = await findPlaces(db, poster, others);
  const resolve = async (target: string): Promise<Target> => {
    const { conversation } = readTarget(target);
    const place = places.get(conversation) ?? null;
    return place === null && platformOf(conversation) === null
      ? findThere(db, finders, poster, target, null)
      : checkKnown(db, finders, poster, target, place);
  };
  for (const target of new Set(targets))
    resolved.set(
      target,
      others.includes(target) ? await resolve(target).catch(refuse) : { pinned: target },
    );
  return resolved;
}

type PinContext = Pick<PlansContext, 'db' | 'places'>;

type Asked = { label: string; target: string };

/** @throws `invalid_arguments` naming the refused steps */
async function resolveAll(
  { db, places }: PinContext,
  poster: Poster,
  asked: Asked[],
): Promise<Map<string, Target>> {
  if (asked.length === 0) return new Map();
  const targets = asked.map(({ target }) => target);
  const resolved = await resolveTargets(db.query, places?.() ?? {}, poster, targets);
  const problems = new Problems();
  for (const { label, target } of asked) {
    const found = resolved.get(target);
    if (found !== undefined && 'refusal' in found)
      problems.add('invalid_arguments', 'steps', `Step ${label}: ${found.refusal}`);
  }
  problems.settle();
  return resolved;
}

type PostingStep = Pick<StepDraft, 'id' | 'tool' | 'operation' | 'args'>;

const askedBy = (steps: PostingStep[]): Asked[] =>
  steps.flatMap((step, index) => {
    const target = postTargetOf(step);
    return target === null ? [] : [{ label: step.id ?? String(index + 1), target }];
  });

/** @throws `invalid_arguments` if one is refused */
export async function pinPosts<D extends Pick<PlanDraft, 'steps' | 'series'>>(
  context: PinContext,
  poster: Poster,
  draft: D,
): Promise<D> {
  const { steps, series = [] } = draft;
  const all = [...steps, ...series.flatMap((one) => one.steps)];
  const resolved = await resolveAll(context, poster, askedBy(all));
  if (resolved.size === 0) return draft;
  return {
    ...draft,
    steps: pinSteps(steps, resolved),
    ...(draft.series === undefined
      ? {}
      : { series: series.map((one) => ({ ...one, steps: pinSteps(one.steps, resolved) })) }),
  };
}

const posting = { tool: 'chat', operation: 'post' } as const;

async function postsOf(
  db: Queryable,
  planId: string,
  operation: PatchOperation,
): Promise<PostingStep[]> {
  const added = addedBy(operation);
  if (added !== null) return [added];
  if (operation.op === 'update_steps') {
    const { args } = operation.set;
    if (args?.conversation === undefined) return [];
    const isPost = await hasOperation(db, planId, operation.steps, posting);
    return isPost ? [{ id: operation.steps.ids?.join(', ') ?? '', ...posting, args }] : [];
  }
  if (operation.op !== 'change_series') return [];
  const { args: given = {} } = operation.set;
  const found = (await readSeries(db, planId)).find(({ id }) => id === operation.series);
  return (found?.steps ?? []).flatMap(({ id = '', tool, operation: name }) => {
    const args = Object.hasOwn(given, id) ? given[id] : undefined;
    return args === undefined ? [] : [{ id, tool, operation: name, args }];
  });
}

function withPosts(operation: PatchOperation, posts: PostingStep[]): PatchOperation {
  const [first] = posts;
  if (first === undefined) return operation;
  const args = first.args ?? {};
  switch (operation.op) {
    case 'add_step':
      return { ...operation, step: { ...operation.step, args } };
    case 'replace_step':
      return { ...operation, by: { ...operation.by, args } };
    case 'update_steps':
      return { ...operation, set: { ...operation.set, args } };
    case 'change_series': {
      const given = posts.map(({ id = '', args: own = {} }) => [id, own] as const);
      const all = { ...operation.set.args, ...Object.fromEntries(given) };
      return { ...operation, set: { ...operation.set, args: all } };
    }
    default:
      return operation;
  }
}

export async function pinPatchPosts<P extends Pick<PlanPatch, 'operations'>>(
  context: PinContext,
  plan: Poster & { id: string },
  patch: P,
): Promise<P> {
  const posts = new Map<PatchOperation, PostingStep[]>();
  for (const operation of patch.operations) {
    const found = await postsOf(context.db.query, plan.id, operation);
    if (askedBy(found).length > 0) posts.set(operation, found);
  }
  if (posts.size === 0) return patch;
  const resolved = await resolveAll(context, plan, askedBy([...posts.values()].flat()));
  const operations = patch.operations.map((operation) =>
    withPosts(operation, pinSteps(posts.get(operation) ?? [], resolved)),
  );
  return { ...patch, operations };
}

/**
 * Again before the call: people may have left, and names from outputs are checked too.
 * @throws `invalid_arguments` if it may not post there or the place is gone; the platform's own if unreachable
 */
export async function requirePostTarget(
  { db: { query }, places }: PinContext,
  poster: Poster,
  target: string,
  step: { planId: string; stepId: string } | null,
): Promise<void> {
  if (target === poster.conversation) return;
  const { name, conversation } = readTarget(target);
  const place = (await findPlaces(query, poster, [target])).get(conversation) ?? null;
  const [approved] = step === null ? [] : await readStepsById(query, step.planId, [step.stepId]);
  const isApproved = approved !== undefined && postTargetOf(approved) === target;
  let refusal = findRefusal(target, place);
  if (refusal === null) {
    const checked = await checkKnown(query, places?.() ?? {}, poster, target, place);
    if ('pinned' in checked) {
      const isRenamed = name !== null && readTarget(checked.pinned).name !== name;
      if (isRenamed && !isApproved) refusal = unreachable(target);
    } else if (!(isApproved && checked.unasked)) refusal = checked.refusal;
  }
  if (refusal !== null) throw new CountersignError('invalid_arguments', refusal);
}

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

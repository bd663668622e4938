// Where a plan may post: its own conversation, and conversations of the same workspace or tenant that are nobody's private chat with
// the bot. Checked at proposal where the arguments say so, and again at the call.
import { findPostTargets, listPostTargets } from '#db/chat/places.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf } from '#db/people/identities.ts';
import { readRun } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { Problems } from './problems.ts';

/** The plan that posts. */
export type Poster = { conversation: string | null; requester: string };

/** Why nothing can be posted in each of `targets`, in a sentence; those where something can are not in it. */
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
    // Whether there is one elsewhere is nobody's business here.
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

/** @throws CountersignError `invalid_arguments` when the plan may not post there, or there is no such conversation */
export async function requirePostTarget(
  db: Queryable,
  poster: Poster,
  target: string,
): Promise<void> {
  const refusal = (await findRefusals(db, poster, [target])).get(target);
  if (refusal !== undefined) throw new CountersignError('invalid_arguments', refusal);
}

/** Checks the steps that say where they post. @throws CountersignError `invalid_arguments` that names them */
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

/** Where planners can let their plans post. */
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

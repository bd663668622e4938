// The preferences a person saved for themselves. Only that person changes them, on any surface; never a model.
import { recordDeeds } from '#db/audit.ts';
import type { Database, Queryable } from '#db/database.ts';
import { readPolicy, replacePolicy, storePolicy } from '#db/policies.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { applyOverride, defaultPolicy } from '#domain/people/policy.ts';
import type { PolicyChange, PolicyView } from '#domain/service.ts';
import { JsonObject } from '#domain/text.ts';
import { requireRecentSetting } from '#messages/still-meant.ts';

export async function getPolicy(db: Queryable, user: string): Promise<PolicyView> {
  const { policy } = await readPolicy(db, user);
  return { user, policy: applyOverride(defaultPolicy, policy), set: policy };
}

/** @throws `not_allowed` for anybody else than the person; `stale_version` when they pressed it so long ago that they are asked again */
export async function setPolicy(
  { db, clock }: { db: Database; clock: Clock },
  user: string,
  { policy, keep, pressed }: PolicyChange,
  actor: Actor,
): Promise<PolicyView> {
  if (actor.kind !== 'person' || actor.id !== user) {
    throw new CountersignError('not_allowed', `Only ${user} can change how I talk to ${user}.`);
  }
  if (pressed !== undefined) requireRecentSetting(pressed.at, clock.now());
  return db.transaction(async (tx) => {
    if (keep) await storePolicy(tx, user, policy);
    else await replacePolicy(tx, user, policy);
    const data = JsonObject.parse({ policy, keep });
    await recordDeeds(tx, [{ planId: null, actor, action: 'set_policy', data }]);
    return getPolicy(tx, user);
  });
}

// What probe_preference knows of people, from the store.
import type { Queryable } from '#store/database.ts';
import { markProbed, readPolicy } from '#store/policies.ts';
import type { PreferencePort } from '../tools/probe-preference.ts';

export function openPreferences(db: Queryable): PreferencePort {
  return {
    async isKnown(user) {
      const { policy, probed } = await readPolicy(db, user);
      return probed || policy.conversation_style !== undefined;
    },
    claim: (user) => markProbed(db, user),
  };
}

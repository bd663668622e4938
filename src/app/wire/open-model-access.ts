// Model access by environment or console; a change reopens the instance.
import type { Database } from '#db/database.ts';
import {
  readModelAccessRow,
  readModelMark,
  removeModelAccess,
  storeModelAccess,
} from '#db/model-access.ts';
import type { Listener } from '#db/notify.ts';
import type { Seal } from '#db/seal.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { type ModelAccess, readModelAccess, toVariables } from '#models/access.ts';
import type { Config } from '../config.ts';
import { openSecretSeal } from '../secret-seal.ts';

export type ModelConnection = {
  /** Null without a model. */
  access: ModelAccess | null;
  /** Null for the environment's access, or none. */
  by: string | null;
  /** Aborts when the access changes. */
  changed: AbortSignal;
  /** @throws `invalid_request` if no key can be stored */
  requireSeal(): void;
  store(
    access: { api_key?: string | undefined; base_url?: string | undefined },
    actor: Actor,
  ): Promise<void>;
  remove(actor: Actor): Promise<boolean>;
};

export async function openModelAccess(
  given: Config,
  { db, listener }: { db: Database; listener: Listener },
  warn: (message: string, err?: unknown) => void,
): Promise<{ model: ModelConnection; config: Config; close(): void }> {
  const changed = new AbortController();
  const ofEnvironment = readModelAccess(given.env);
  const requireSeal = (): Seal => {
    const seal = openSecretSeal(given);
    if (typeof seal !== 'string') return seal;
    throw new CountersignError('invalid_request', seal);
  };
  const readStored = async () => readModelAccessRow(db.query, requireSeal());
  // Listens first, to miss no change.
  const marked = readModelMark(db.query);
  async function look(): Promise<void> {
    const before = await marked;
    if ((await readModelMark(db.query)) !== before) changed.abort();
  }
  const stop =
    ofEnvironment === null
      ? listener.on('model-access', () => {
          look().catch((err: unknown) => warn('Could not read the stored model key.', err));
        })
      : () => undefined;
  const mark = await marked;
  const stored =
    mark === null || ofEnvironment !== null
      ? null
      : await readStored().catch((err: unknown) => {
          warn("The model's key that was entered in the console cannot be read.", err);
          return null;
        });
  const config =
    stored === null
      ? given
      : {
          ...given,
          env: { ...given.env, ...stored.access },
          secrets: [...given.secrets, ...Object.values(stored.access)],
        };
  return {
    config,
    close: stop,
    model: {
      access: readModelAccess(config.env),
      by: stored?.by ?? null,
      changed: changed.signal,
      requireSeal,
      async store({ api_key, base_url }, actor) {
        await storeModelAccess(db, requireSeal(), toVariables(api_key, base_url), actor);
      },
      remove: (actor) => removeModelAccess(db, actor),
    },
  };
}

// Liveness (`/healthz`) and readiness (`/readyz`).
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Probes } from '#api/routes/probes.ts';
import { renewEverySeconds } from '#db/backends.ts';
import { diskFullWords } from '#db/disk.ts';
import { bossSchema } from '#db/instance.ts';
import { readSchemaAge } from '#db/migrate.ts';
import { causeOf } from '#db/transient.ts';
import type { Instance, Vitals } from './wire/instance.ts';

const answerWithinMs = 5000;

/** Failures by part, although the database answers. */
export function findFailing({
  leasesQuietMs,
  beatQuietMs,
  leaseMs,
}: Vitals): Record<string, string> {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  return {
    ...(leasesQuietMs < leaseMs
      ? {}
      : { leases: `not renewed for ${seconds(leasesQuietMs)}, so others have taken its steps` }),
    ...(beatQuietMs < 6 * renewEverySeconds * 1000
      ? {}
      : { heartbeat: `not sent for ${seconds(beatQuietMs)}, so others take it for gone` }),
  };
}

async function askDatabase(db: Instance['db']): Promise<string> {
  await db.query.execute(sql`select 1`);
  return (await db.isDiskFull()) ? diskFullWords : 'ok';
}

async function withinTime(asked: Promise<string>): Promise<string> {
  const outcome = asked.catch((error: unknown) => `not reachable: ${causeOf(error)}`);
  const silent = pause(answerWithinMs, `no answer within ${answerWithinMs / 1000} s`, {
    ref: false,
  });
  return Promise.race([outcome, silent]);
}

export function createProbes({
  db,
  registry,
  vitals,
}: Pick<Instance, 'db' | 'registry' | 'vitals'>): Probes {
  // Works on the next version's schema, so that upgrades don't take all gateways out of rotation.
  const askSchema = async () =>
    (await readSchemaAge(db.query)) === 'older'
      ? 'migrations are missing; run countersign migrate'
      : 'ok';
  const askQueue = async () => {
    await db.query.execute(sql`select 1 from ${sql.identifier(bossSchema)}.queue limit 1`);
    return 'ok';
  };
  return {
    async alive() {
      const own = vitals();
      const parts = own === null ? {} : findFailing(own);
      if (Object.keys(parts).length === 0) return { alive: true, parts };
      // Leases need the database, and a restart would only lose state.
      const database = await withinTime(askDatabase(db));
      return database === 'ok' ? { alive: false, parts } : { alive: true, parts: {} };
    },
    async ready() {
      const database = await withinTime(askDatabase(db));
      const there = database === 'ok';
      const schema = there ? await withinTime(askSchema()) : 'unknown';
      const queue = there ? await withinTime(askQueue()) : 'unknown';
      const tools = registry.status().filter(({ ok }) => !ok);
      return {
        ready: [database, schema, queue].every((state) => state === 'ok'),
        parts: {
          database,
          schema,
          queue,
          tools:
            tools.length === 0
              ? 'ok'
              : tools.map(({ tool, reason }) => `${tool}: ${reason ?? 'down'}`).join('; '),
        },
      };
    },
  };
}

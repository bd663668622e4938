// Runs a planner per part; state is in the database to survive crashes.
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '#db/database.ts';
import type { Listener } from '#db/notify.ts';
import {
  failOpenParts,
  insertParts,
  noteWaiting,
  type PartsProgress,
  readParts,
  readProgress,
} from '#db/planning/parts.ts';
import { lockRun } from '#db/planning/runs.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import type { EnqueueAll } from '#domain/jobs.ts';
import type { ScaffoldPart } from '#domain/planning/part.ts';
import type { PartPlanners } from '../ports.ts';
import { followTopic } from '../reads/follow-topic.ts';

/** Milliseconds between polls and progress reports. */
const lookEveryMs = 5000;
/** A job may be lost by then. */
const resendAfterSeconds = 20;
/** Enough for many parts with a slow model. */
const maxWaitMs = 50 * 60_000;

/** By content: equal parts are planned once. */
function nameOf(part: ScaffoldPart): string {
  const digest = createHash('sha256').update(JSON.stringify(part)).digest('hex');
  return `${part.id}.${digest.slice(0, 12)}`;
}

export function createPartPlanners(context: {
  db: Database;
  enqueueAll: EnqueueAll<Transaction>;
  listener: Pick<Listener, 'on'>;
}): PartPlanners {
  const { db, enqueueAll, listener } = context;
  return {
    async plan({ runId, turn, user }, parts, report, signal) {
      const place = { run_id: runId, turn };
      const names = parts.map(nameOf);
      const send = (tx: Transaction, some: string[]) =>
        enqueueAll(
          tx,
          'expand',
          some.map((part_id) => ({
            payload: { ...place, part_id },
            key: `${runId}:${turn}:${part_id}`,
            person: user,
          })),
        );
      await db.transaction(async (tx) => {
        const run = await lockRun(tx, runId);
        if (run.turn !== turn || run.planning_status !== 'running')
          throw new CountersignError('cancelled', 'This turn has ended.');
        const scaffold = parts.map((part, at) => ({ part_id: names[at] ?? '', scaffold: part }));
        await insertParts(tx, place, scaffold);
        const { stalled } = await readProgress(tx, place, names, 0);
        await send(tx, stalled);
      });
      passCrashPoint('scaffold_stored');
      const news = followTopic(listener, `parts:${runId}`, lookEveryMs);
      const began = Date.now();
      try {
        for (;;) {
          if (signal.aborted) throw new CountersignError('cancelled', 'Planning was stopped.');
          const progress: PartsProgress = await readProgress(
            db.query,
            place,
            names,
            resendAfterSeconds,
          );
          const { planned, ended, stalled } = progress;
          report({ kind: 'parts', planned, total: parts.length });
          if (ended === parts.length) break;
          if (!(await noteWaiting(db.query, place)))
            throw new CountersignError('cancelled', 'This turn has ended.');
          if (Date.now() - began > maxWaitMs) {
            await failOpenParts(db.query, place, names, 'It was not planned in time.');
            continue;
          }
          if (stalled.length > 0) await db.transaction((tx) => send(tx, stalled));
          await news.next(signal);
        }
      } finally {
        news.close();
      }
      const rows = new Map(
        (await readParts(db.query, place, names)).map((row) => [row.part_id, row]),
      );
      return names.flatMap((name) => {
        const row = rows.get(name);
        if (row === undefined) return [];
        const { scaffold, status, steps, message, cost_usd } = row;
        return [{ part: scaffold, status, steps: steps ?? [], message, cost_usd }];
      });
    },
  };
}

// Requests for data: filed once, fetched by workers into artifacts.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Database, Transaction } from '#db/database.ts';
import type { Listener } from '#db/notify.ts';
import {
  countRequests,
  type Fulfilment,
  fileRequest,
  readRequest,
  settleRequest,
} from '#db/people/data-requests.ts';
import { readRun, tenantOfTurn } from '#db/planning/runs.ts';
import { drawArtifactId, loadRunArtifact } from '#db/plans/artifacts.ts';
import type { Random } from '#domain/clock.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import { onOneLine } from '#domain/words.ts';
import type { DataRequests, PlannerTools } from '../ports.ts';
import { followTopic } from './follow-topic.ts';

/** The planner continues after this. */
const maxWaitMs = 30_000;
const lookEveryMs = 2000;
const maxRequests = 200;
const maxFetchMs = 120_000;
const maxSummary = 300;

export function createDataRequests(context: {
  db: Database;
  enqueue: Enqueue<Transaction>;
  listener: Pick<Listener, 'on'>;
  random: Random;
}): DataRequests {
  const { db, enqueue, listener, random } = context;
  return {
    async fetch(runId, { operation, args, purpose }, signal) {
      const key = hash('sha256', canonicalize([operation, args]) ?? '', 'hex');
      const id = `REQ-${random.hex(6)}`;
      const filed = await db.transaction(async (tx) => {
        const { request, isNew } = await fileRequest(tx, {
          id,
          runId,
          key,
          operation,
          args,
          purpose,
        });
        if (isNew && (await countRequests(tx, runId)) > maxRequests)
          throw new CountersignError(
            'limit_exceeded',
            `${maxRequests} requests have been filed for this run; use what they brought.`,
          );
        // The job may be lost.
        if (request.status === 'open')
          await enqueue(tx, 'request', { request_id: request.id }, { key: request.id });
        return request;
      });
      passCrashPoint('request_filed');
      const news = followTopic(listener, `request:${filed.id}`, lookEveryMs);
      try {
        for (let request = filed, began = Date.now(); ; ) {
          if (request.status !== 'open' || Date.now() - began > maxWaitMs) return request;
          await news.next(signal);
          if (signal.aborted) throw new CountersignError('cancelled', 'Planning was stopped.');
          request = (await readRequest(db.query, filed.id)) ?? filed;
        }
      } finally {
        news.close();
      }
    },
    async keep(runId, { operation, args }, data) {
      const content = Buffer.from(JSON.stringify(data));
      // Another paging may give another output.
      const key = hash(
        'sha256',
        canonicalize([operation, args, hash('sha256', content)]) ?? '',
        'hex',
      );
      const id = `REQ-${random.hex(6)}`;
      return db.transaction(async (tx) => {
        const purpose = 'read while planning';
        const { request, isNew } = await fileRequest(tx, {
          id,
          runId,
          key,
          operation,
          args,
          purpose,
        });
        if (!isNew) return request.artifact_id;
        const artifact = { id: drawArtifactId(random), name: `${operation}.json`, content };
        await settleRequest(tx, id, { status: 'fulfilled', summary: 'It was read.', artifact });
        return artifact.id;
      });
    },
    load: (runId, artifactId) => loadRunArtifact(db.query, runId, artifactId),
  };
}

/** Idempotent: repeated reads are stored once. @param callOf calls on behalf of an organisation */
export async function fulfilRequest(
  {
    db,
    random,
    callOf,
  }: { db: Database; random: Random; callOf(tenant: string | null): PlannerTools['call'] },
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const request = await readRequest(db.query, id);
  if (request === null || request.status !== 'open') return;
  const tenant = tenantOfTurn(await readRun(db.query, request.run_id));
  const end = await fetchData(random, callOf(tenant), request, signal);
  passCrashPoint('request_fetched');
  await db.transaction((tx) => settleRequest(tx, id, end));
}

async function fetchData(
  random: Random,
  call: PlannerTools['call'],
  { operation, args }: { operation: string; args: Parameters<PlannerTools['call']>[1] },
  signal: AbortSignal,
): Promise<Fulfilment> {
  try {
    const late = AbortSignal.timeout(maxFetchMs);
    const { summary, data } = await call(operation, args, AbortSignal.any([signal, late]));
    return {
      status: 'fulfilled',
      summary: onOneLine(summary, maxSummary) || 'It came.',
      artifact: {
        id: drawArtifactId(random),
        name: `${operation}.json`,
        content: Buffer.from(JSON.stringify(data)),
      },
    };
  } catch (error) {
    // Stopping; another process fetches it.
    if (signal.aborted) throw error;
    // The job retries transient errors.
    if (error instanceof CountersignError && error.passesAfterMs !== null) throw error;
    return { status: 'failed', summary: onOneLine(errorMessage(error), maxSummary) };
  }
}

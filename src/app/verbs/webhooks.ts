// `webhooks list`, `test` and `retry`.
import { randomUUID } from 'node:crypto';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import type { Database } from '#db/database.ts';
import { endpointId, readEndpoints, readNextCalls, retryDeliveries } from '#db/webhooks.ts';
import { systemClock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { openSender } from '#notices/webhooks/sender.ts';
import { print, printJson } from '../print.ts';
import { withDatabase } from './with-database.ts';

function refuseUnknown(id: string): never {
  throw new CountersignError(
    'invalid_request',
    `There is no endpoint ${id}. countersign webhooks list shows them.`,
  );
}

export function list({ json }: { json?: true }): Promise<void> {
  return withDatabase(async (db) => {
    const endpoints = (await readEndpoints(db.query)).map(
      ({ holder: _holder, lease_until: _until, ...facts }) => facts,
    );
    if (json === true) return printJson(endpoints);
    if (endpoints.length === 0)
      return print('None. Add webhooks to countersign.json and start a worker: docs/webhooks.md');
    const nextCalls = await readNextCalls(db.query);
    for (const { id, url, events, open, failed, failures, last_error, gone_at } of endpoints) {
      print(`${id}  ${url}  ${events === null ? 'all events' : listOf(events)}`);
      print(`          ${countOf(open, 'event')} pending, ${failed} abandoned`);
      if (gone_at !== null) print('          It answered 410, so nothing more is sent to it.');
      if (failures > 0 && last_error !== null)
        print(
          `          ${countOf(failures, 'failure')} in a row, the last: ${quoteWords(last_error, 500)}`,
        );
      const next = nextCalls.get(id);
      if (next !== undefined && next > systemClock.now())
        print(`          The next call is at ${next.toISOString()}.`);
    }
  });
}

/** Directly, without the outbox. Exit code 1 on refusal. */
export function test(id: string | undefined): Promise<void> {
  return withDatabase(async (_db, { settings }) => {
    const chosen = settings.webhooks.filter((one) => id === undefined || endpointId(one) === id);
    if (id !== undefined && chosen.length === 0) refuseUnknown(id);
    const sender = openSender({ allowPrivate: settings.http.allowPrivate, clock: systemClock });
    try {
      for (const endpoint of chosen) {
        const message = {
          id: `msg_${randomUUID().replaceAll('-', '')}`,
          type: 'webhook.test',
          at: systemClock.now(),
          data: {},
        };
        const { error } = await sender.send(endpoint, message);
        print(`${endpointId(endpoint)}  ${endpoint.url}  ${error ?? 'delivered'}`);
        if (error !== null) process.exitCode = exitCodes.failed;
      }
    } finally {
      await sender.close();
    }
    if (chosen.length === 0) print('No webhooks are set up in countersign.json.');
  });
}

async function retryIn(db: Database, id: string | undefined): Promise<void> {
  const known = (await readEndpoints(db.query)).map((endpoint) => endpoint.id);
  if (id !== undefined && !known.includes(id)) refuseUnknown(id);
  const chosen = id === undefined ? known : [id];
  const again = chosen.length === 0 ? 0 : await db.transaction((tx) => retryDeliveries(tx, chosen));
  print(
    again === 0
      ? 'No event is pending, and none was abandoned in the last week.'
      : `${countOf(again, 'event')} queued. A worker sends them within seconds.`,
  );
}

export const retry = (id: string | undefined): Promise<void> =>
  withDatabase((db) => retryIn(db, id));

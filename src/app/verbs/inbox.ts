// `inbox list` and `inbox retry`: failed chat events.
import { listFailedEvents, retryFailedEvents } from '#db/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { print, printJson, warn } from '../print.ts';
import { withDatabase } from './with-database.ts';

const maxShown = 1000;
const noneFailed = 'No chat events have failed.';

export function list({ json }: { json?: true }): Promise<void> {
  return withDatabase(async (db) => {
    const found = await listFailedEvents(db.query, maxShown + 1);
    const shown = found.slice(0, maxShown);
    if (found.length > shown.length) warn(`Only the latest ${maxShown} are shown.`);
    if (json === true) return printJson(shown);
    if (shown.length === 0) return print(noneFailed);
    for (const { id, platform, tenant, thread, kind, failed_at, error } of shown) {
      print(
        `${id}  ${failed_at}  ${platform} ${kind}, ${quoteName(tenant ?? '', 80)} ${quoteName(thread, 120)}`,
      );
      if (error !== null) print(`    ${quoteWords(error, 500)}`);
    }
  });
}

export async function retry(ids: number[] | undefined, { all }: { all?: true }): Promise<void> {
  if ((ids === undefined || ids.length === 0) === (all === undefined))
    throw new CountersignError(
      'invalid_request',
      'Pass event IDs or --all. countersign inbox lists them.',
    );
  await withDatabase(async (db) => {
    const { again, missing } = await retryFailedEvents(db.query, all === true ? null : (ids ?? []));
    if (again === 0 && missing.length === 0) print(noneFailed);
    if (again > 0) print(`${countOf(again, 'event')} will be handled again within seconds.`);
    if (missing.length > 0)
      throw new CountersignError('not_found', `No failed event has the ID ${missing.join(', ')}.`);
  });
}

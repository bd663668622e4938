// Checks what the database holds.
import { readAuditState } from '#db/audit/seals.ts';
import { readBackends } from '#db/backends.ts';
import { readInboxState } from '#db/chat/inbox.ts';
import { readDeliveryState } from '#db/chat/places.ts';
import { countDeletedPlans, readRetention } from '#db/retention.ts';
import { readPools } from '#db/sql/resources.ts';
import { readEndpoints } from '#db/webhooks.ts';
import { commandName } from '#domain/command-name.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { countOf } from '#domain/words.ts';
import { auditKeyOf, type Config } from '../config.ts';
import type { Instance } from '../wire/instance.ts';
import { brokenCheck, okCheck } from './results.ts';

export async function listPools({ db }: Instance): Promise<CheckResult[]> {
  return (await readPools(db.query)).map(({ name, capacity, headroom, in_use, waiting }) => {
    const kept = headroom === 0 ? '' : `, ${headroom} kept back`;
    const line =
      waiting.length === 0
        ? 'nobody waits'
        : waiting.length === 1
          ? `${waiting[0]} waits`
          : `${waiting[0]} and ${countOf(waiting.length - 1, 'other plan')} wait`;
    return okCheck(`Pool ${name}`, `${in_use} of ${capacity} in use${kept}; ${line}`);
  });
}

const eventsCounted = 1000;

/** Silent while handled in time. */
export async function checkInbox({ db }: Instance): Promise<CheckResult[]> {
  const { open, oldest, failed, last } = await readInboxState(db.query, eventsCounted);
  const count = (n: number) =>
    n < eventsCounted
      ? `${countOf(n, 'event')} of chat platforms`
      : '1,000 or more events of chat platforms';
  if (last !== null) {
    return [
      brokenCheck(
        'Inbox',
        `${count(failed)} could not be handled, the latest (${last.id}, ${last.platform}) because: ${last.error}`,
        `${commandName} inbox lists them. When the cause is gone: ${commandName} inbox retry --all`,
      ),
    ];
  }
  const all = open < eventsCounted;
  const since = oldest === null || !all ? '' : `, the oldest since ${oldest.toISOString()}`;
  return open === 0
    ? []
    : [okCheck('Inbox', `${count(open)} ${open === 1 ? 'waits' : 'wait'}${since}`)];
}

/** Silent while delivered. */
export async function checkDelivery({ db }: Instance): Promise<CheckResult[]> {
  const { waiting, broken, last, failed, error } = await readDeliveryState(db.query, eventsCounted);
  if (last !== null) {
    const more = broken > 1 ? ` So are ${countOf(broken - 1, 'other conversation')}.` : '';
    return [
      brokenCheck(
        'Delivery',
        `Nothing can be posted to ${last.platform} ${last.tenant}, ${last.channel}: ${last.broken}${more}`,
        'Fix it, then write something there. Waiting messages are posted.',
      ),
    ];
  }
  if (error !== null) {
    return [
      brokenCheck(
        'Delivery',
        `${countOf(failed, 'message')} could not be shown, the latest because: ${error}`,
        'Other messages were shown. The log names this one and its conversation.',
      ),
    ];
  }
  return waiting === 0
    ? []
    : [
        okCheck(
          'Delivery',
          `${countOf(waiting, 'conversation')} ${waiting === 1 ? 'waits' : 'wait'} to be brought up to date`,
        ),
      ];
}

/** Silent without endpoints. */
export async function checkWebhooks({ db }: Instance): Promise<CheckResult[]> {
  return (await readEndpoints(db.query)).map((endpoint): CheckResult => {
    const { id, url, open, failed, failures, last_error, gone_at } = endpoint;
    const part = `Webhook ${id}`;
    const text = `${new URL(url).host}: ${countOf(open, 'event')} to come, ${failed} given up`;
    if (gone_at === null && failures === 0 && failed === 0) return okCheck(part, text);
    return {
      part,
      state: gone_at !== null || failures > 0 ? 'broken' : 'ok',
      text: last_error === null ? text : `${text}; the last failure: ${last_error}`,
      advice:
        failed === 0 && gone_at === null
          ? `It is retried automatically. To retry now: ${commandName} webhooks retry ${id}`
          : `When the cause is gone: ${commandName} webhooks retry ${id}`,
    };
  });
}

/** Workers seal rows within about a minute. */
const sealedWithinMs = 15 * 60_000;

/** With the hash to store elsewhere. */
export async function checkAudit({ env }: Config, { db }: Instance): Promise<CheckResult[]> {
  const { last, unsealed, oldest_unsealed } = await readAuditState(db.query);
  if (last === null && oldest_unsealed === null) return [];
  const keyId = last?.key_id ?? null;
  const isForeign = keyId !== null && keyId !== auditKeyOf(env)?.id;
  const keyWords = isForeign
    ? ', with a key that is not the COUNTERSIGN_ENCRYPTION_KEY of this command'
    : keyId === null
      ? ', without a key'
      : '';
  const sealed =
    last === null
      ? 'no seals yet'
      : `sealed up to row ${last.last_id} by seal ${last.seq} (${last.hash})${keyWords}`;
  const rest = unsealed === 0 ? '' : `; ${countOf(unsealed, 'row')} not sealed yet`;
  const late = oldest_unsealed !== null && Date.now() - oldest_unsealed.getTime() > sealedWithinMs;
  const result: CheckResult = okCheck('Audit log', `${sealed}${rest}`);
  if (late && (await readBackends(db.query)).length > 0)
    return [
      {
        ...result,
        state: 'broken',
        text: `${result.text}, the oldest since ${oldest_unsealed.toISOString()}`,
        advice: "The worker's log says why it is not sealed.",
      },
    ];
  if (isForeign)
    return [
      {
        ...result,
        state: 'broken',
        advice:
          'Set COUNTERSIGN_ENCRYPTION_KEY to the key of the workers. If you changed it on purpose, the next seal uses the new one.',
      },
    ];
  return [
    last?.key_id === null
      ? {
          ...result,
          advice: 'Set COUNTERSIGN_ENCRYPTION_KEY, so that the database alone cannot make seals.',
        }
      : result,
  ];
}

/** Silent before the first round. */
export async function checkRetention({ db }: Instance): Promise<CheckResult[]> {
  const state = await readRetention(db.query);
  if (state === null) return [];
  const { problem, running, ended_at } = state;
  if (problem !== null) {
    const advice = `When the cause is gone: ${commandName} retention`;
    return [brokenCheck('Retention', problem, advice)];
  }
  const when = running
    ? 'a round is running'
    : `its last round ended ${ended_at?.toISOString() ?? 'before it was done'}`;
  const text = `${countOf(await countDeletedPlans(db.query), 'plan')} deleted so far; ${when}`;
  return [okCheck('Retention', text)];
}

// `token`: personal tokens; the operator vouches for owners.
import { systemClock, systemRandom } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { Role } from '#domain/people/principal.ts';
import { quoteName } from '#domain/shown-text.ts';
import { createIdentity, type Identity } from '#people/identity.ts';
import { groupingOf } from '../follow-rules.ts';
import { print, printJson, warn } from '../print.ts';
import { withDatabase } from './with-database.ts';

/** Access to configuration and database suffices. */
const operator = person('local', 'terminal');

function withIdentity(work: (identity: Identity) => Promise<void>): Promise<void> {
  return withDatabase((db, config, log) => {
    const { settings, apart, env } = config;
    return work(
      createIdentity({
        db,
        clock: systemClock,
        random: systemRandom,
        identity: settings.identity,
        grouping: groupingOf(config),
        apart,
        publicUrl: env.COUNTERSIGN_PUBLIC_URL ?? null,
        warn: (message, err) => log.warn({ err }, message),
      }),
    );
  });
}

/** @throws `invalid_request` */
function readDays(input: string): number | null {
  const days = Number(input);
  if (Number.isInteger(days) && days >= 0 && days <= 3650 && input.trim() !== '')
    return days === 0 ? null : days;
  throw new CountersignError(
    'invalid_request',
    '--days must be a whole number from 0 (never expires) to 3650.',
  );
}

type Wanted = {
  name: string;
  role: Role;
  days: string;
  user: string;
  tenant?: string;
  json?: true;
};

const dayOf = (at: Date | null) => at?.toISOString().slice(0, 10) ?? 'never';

export function create({ name, role, days, user, tenant, json }: Wanted): Promise<void> {
  const wanted = { name, role, days: readDays(days), tenant: tenant ?? null };
  return withIdentity(async ({ createToken }) => {
    const { token, facts } = await createToken(user, wanted, operator);
    if (json === true) {
      printJson({ id: facts.id, token, expires_at: facts.expires_at });
      return;
    }
    print(token);
    warn(
      `${facts.id} of ${user} as ${role}; expires: ${dayOf(facts.expires_at)}. It is shown this once.`,
    );
  });
}

export function list({ json }: { json?: true }): Promise<void> {
  return withIdentity(async ({ listTokens }) => {
    const tokens = (await listTokens(null)).map(({ hash: _, ...facts }) => facts);
    if (json === true) {
      printJson(tokens);
      return;
    }
    for (const { id, account, name, role, tenant, expires_at, used_at } of tokens)
      print(
        `${id}  ${quoteName(account, 120)}  ${role}  ${quoteName(name, 100)}${tenant === null ? '' : `  ${tenant}`}  expires: ${dayOf(expires_at)}  used: ${dayOf(used_at)}`,
      );
    if (tokens.length === 0) print('There are no tokens.');
  });
}

export function revoke(id: string): Promise<void> {
  return withIdentity(async ({ revokeToken }) => {
    await revokeToken(id, null, operator);
    print(`${id} is revoked.`);
  });
}

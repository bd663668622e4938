// Links accounts to one person: one requests a code, the other sends it.
// One lock serialises changes. Accounts point to persons, which point nowhere, so cycles can't arise.
import { hash } from 'node:crypto';
import { recordAudit } from '#db/audit/audit.ts';
import type { Database, Queryable, Transaction } from '#db/database.ts';
import {
  forgetAccounts,
  lockIdentities,
  noteFormerLinks,
  readAccount,
  readAccounts,
  readPerson,
  storePerson,
  wereLinked,
} from '#db/people/identities.ts';
import {
  countWrongCodes,
  findLinkCode,
  type LinkCode,
  markLinkCode,
  recordWrongCode,
  storeLinkCode,
} from '#db/people/link-codes.ts';
import { markProbed, readPolicy, replacePolicy } from '#db/people/policies.ts';
import type { Clock, Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, isVerified, person as personActor } from '#domain/people/actor.ts';
import type { LinkCommand, LinkOutcome } from '#domain/people/link.ts';
import { isAccountId, needsPlatform, personKey } from '#domain/people/names.ts';
import { requirePerson } from '#plans/authority/authority.ts';
import { type Blocking, isRefused } from '#plans/authority/refused.ts';

const address = /^[^@\s]+@[^@\s.]+\.[^@\s]+$/;

/** An address, an account ID, a typed name: no account ever goes by a name that was merely typed. */
function rankOf(name: string): number {
  if (address.test(name)) return 2;
  return isAccountId(name) ? 1 : 0;
}

/** On a tie, that of the account that requested the code. */
export function chooseName(asked: string, used: string): string {
  return rankOf(used) > rankOf(asked) ? used : asked;
}

/** @param accounts in order of linking @returns those that stay together with their name, and those on their own again */
export function leavePerson(
  accounts: string[],
  person: string,
  account: string,
): { free: string[]; stay: string[]; person: string } {
  const rest = accounts.filter((one) => one !== account);
  // Unlinking takes a person's own name along.
  const name = person === account ? rest.reduce(chooseName, rest[0] ?? account) : person;
  if (rest.length === 1 && rest[0] === name) return { free: accounts, stay: [], person: name };
  return { free: [account], stay: rest, person: name };
}

/** Without lookalikes: 0 and O, 1, I and L, U and V. */
const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 30^10, about 49 bits: too many to try while it is valid, even with the hash. */
const length = 10;

/** `K7M2P-9QX4R`. */
export function drawCode(random: Random): string {
  // 128 bits for 49: uniform to within 2^-79.
  let number = BigInt(`0x${random.hex(16)}`);
  let code = '';
  for (let i = 0; i < length; i++) {
    code += letters[Number(number % BigInt(letters.length))];
    number /= BigInt(letters.length);
  }
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

export function hashCode(code: string): string {
  return hash('sha256', `link:${code.toUpperCase().replace(/[^0-9A-Z]/g, '')}`, 'hex');
}

type LinkContext = { db: Database; clock: Clock; random: Random } & Blocking;

const minutes = 10;
const maxWrong = 5;

const minutesFrom = (now: Date, by: number) => new Date(now.getTime() + by * 60_000);

const wrongCode =
  'This code is unknown, used or older than 10 minutes. Get a new one with “link” from the account you already use.';

/** @throws `not_allowed` for a typed name that only a chat platform or sign-in can prove */
function requireOwnName(actor: Actor): void {
  const { id } = actor;
  if (isVerified(actor) || !needsPlatform(id)) return;
  throw new CountersignError(
    'not_allowed',
    `Only a chat platform or a sign-in can say that you are ${id}. Use link there.`,
  );
}

async function show(db: Queryable, account: string) {
  const person = await readPerson(db, account);
  return { account, person, accounts: await readAccounts(db, person) };
}

async function ask(
  { db, clock, random }: LinkContext,
  actor: Actor,
  once: string | null,
): Promise<LinkOutcome> {
  const code = drawCode(random);
  const expiresAt = minutesFrom(clock.now(), minutes);
  const { id: account, via } = actor;
  const verified = isVerified(actor);
  await db.transaction((tx) =>
    storeLinkCode(tx, { account, hash: hashCode(code), via, verified, expiresAt, once }),
  );
  return { kind: 'code', code, expires_at: expiresAt.toISOString() };
}

/** The winner's preferences stay; unset ones come from the other. */
async function joinPolicies(tx: Transaction, winner: string, loser: string): Promise<void> {
  const [kept, added] = [await readPolicy(tx, winner), await readPolicy(tx, loser)];
  const policy = { ...added.policy, ...kept.policy };
  if (Object.keys(policy).length > 0) await replacePolicy(tx, winner, policy);
  if (added.probed) await markProbed(tx, winner);
}

/** Under the lock of links. Repeating it on every sign-in would undo an unlink. */
export async function joinAccounts(
  tx: Transaction,
  account: string,
  address: string,
  actor: Actor,
): Promise<void> {
  const [own, other] = [await show(tx, account), await show(tx, address)];
  if (own.person === other.person || (await wereLinked(tx, account, address))) return;
  const winner = chooseName(own.person, other.person);
  const loser = winner === own.person ? other.person : own.person;
  await storePerson(tx, [account, address, ...own.accounts, ...other.accounts], winner);
  await joinPolicies(tx, winner, loser);
  const data = { person: winner, joined: loser, reason: 'by a verified address' };
  await recordAudit(tx, [{ planId: null, actor, action: 'link', data }]);
}

async function join(tx: Transaction, code: LinkCode, actor: Actor): Promise<void> {
  const [asked, used] = [await show(tx, code.account), await show(tx, actor.id)];
  if (asked.person === used.person) return;
  const winner = chooseName(asked.person, used.person);
  const loser = winner === asked.person ? used.person : asked.person;
  const accounts = [code.account, actor.id, ...asked.accounts, ...used.accounts];
  await storePerson(tx, [...new Set(accounts)], winner);
  await joinPolicies(tx, winner, loser);
  const data = { person: winner, joined: loser, asked: code.account, used: actor.id };
  await recordAudit(tx, [
    { planId: null, actor, action: 'link', data },
    {
      planId: null,
      actor: personActor(code.account, code.via),
      action: 'link',
      data: { ...data, reason: 'by the code asked for' },
    },
  ]);
}

/** @returns a refusal to throw after its counters are committed */
async function tryCode(
  tx: Transaction,
  blocking: Blocking,
  code: string,
  actor: Actor,
  now: Date,
): Promise<LinkOutcome | CountersignError> {
  const account = actor.id;
  await lockIdentities(tx);
  const since = minutesFrom(now, -minutes);
  if ((await countWrongCodes(tx, account, since)) >= maxWrong) {
    return new CountersignError(
      'not_allowed',
      `${maxWrong} wrong codes within ${minutes} minutes. Wait ${minutes} minutes, then ask for a new code.`,
    );
  }
  const hash = hashCode(code);
  const found = await findLinkCode(tx, hash, now);
  const holds =
    found !== null &&
    (found.used_by === null || found.used_by === account) &&
    !(await isRefused(tx, blocking, found.account));
  if (!holds) {
    await recordWrongCode(tx, account, { since, now });
    return new CountersignError('not_found', wrongCode);
  }
  if (found.account === account) {
    return new CountersignError(
      'invalid_request',
      'This is the code you asked for here. Send it from your other account.',
    );
  }
  if (!found.verified && !isVerified(actor)) {
    return new CountersignError(
      'not_allowed',
      'Both are typed names. Link each to an account in Slack or Teams, or of a sign-in, instead.',
    );
  }
  if (found.used_by === null) {
    await join(tx, found, actor);
    await markLinkCode(tx, hash, account);
  }
  return { kind: 'linked', ...(await show(tx, account)) };
}

async function use(context: LinkContext, code: string, actor: Actor): Promise<LinkOutcome> {
  const { db, clock } = context;
  const tried = await db.transaction((tx) => tryCode(tx, context, code, actor, clock.now()));
  if (tried instanceof CountersignError) throw tried;
  return tried;
}

/** Shared things stay with the others. For plans made until then, both still count as one person. */
async function remove({ db }: LinkContext, actor: Actor): Promise<LinkOutcome> {
  const account = actor.id;
  return db.transaction(async (tx) => {
    await lockIdentities(tx);
    const before = await show(tx, account);
    if (before.accounts.length === 0) return { kind: 'shown', ...before };
    const { free, stay, person } = leavePerson(before.accounts, before.person, account);
    await forgetAccounts(tx, free);
    await storePerson(tx, stay, person);
    const others = [...new Set([...before.accounts, before.person])].filter(
      (one) => one !== account,
    );
    await noteFormerLinks(tx, account, others);
    const data = { person: before.person, left: stay, now: person };
    await recordAudit(tx, [{ planId: null, actor, action: 'unlink', data }]);
    const now = await show(tx, account);
    const accounts = before.accounts.filter((one) => one !== account);
    return { kind: 'removed', ...now, accounts, former: before.person };
  });
}

/**
 * @param asking `id` is the account, not its person @throws `not_allowed`, `not_found` (invalid code), `invalid_request` (one's
 * own)
 */
export async function link(
  context: LinkContext,
  command: LinkCommand,
  asking: Actor,
): Promise<LinkOutcome> {
  requirePerson(asking);
  // Accounts linked before names were case-folded keep their row.
  const stored = (await readAccount(context.db.query, asking.id)) ?? personKey(asking.id);
  const actor = { ...asking, id: stored };
  if (command.do === 'show') return { kind: 'shown', ...(await show(context.db.query, actor.id)) };
  requireOwnName(actor);
  switch (command.do) {
    case 'ask':
      return ask(context, actor, command.once ?? null);
    case 'use':
      return use(context, command.code, actor);
    case 'remove':
      return remove(context, actor);
    default:
      return command satisfies never;
  }
}

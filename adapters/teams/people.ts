// Maps Teams users to accounts, cached.
import { buildWords as words } from '#cards/build-words.ts';
import type { TeamsConversations } from '#domain/chat/teams-conversation.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { personInChat } from '#domain/people/actor.ts';
import { readAddress as toAddress } from '#domain/people/names.ts';
import { createRecent } from '#domain/recent.ts';
import { type TeamsAccess, vouches } from './access.ts';
import type { Calls, Member } from './connector/connector.ts';
import type { Scene } from './signals/read-activity.ts';
import { conversationIdOf } from './signals/read-activity.ts';

export type TeamsPerson = {
  /** The linked person, or the account. Not cached, since links can be removed. */
  id: string;
  /** An email address if their tenant vouches for it. */
  account: string;
  name: string;
  /** Or from another tenant in a shared channel. */
  guest: boolean;
  /** If known. */
  zone?: string;
  /** Falls back to the instance's. */
  timezone: string;
};
export const speakerIn = ({ kind }: Scene, { id, zone, timezone, guest }: TeamsPerson) => ({
  actor: personInChat({ id, timezone: zone, guest }, 'teams'),
  direct: kind === 'personal' ? timezone : null,
});

export type People = {
  find(scene: Scene): Promise<TeamsPerson>;
  /** By directory ID. @throws `invalid_request` if not in it */
  findMember(scene: Scene, object: string): Promise<string>;
  /** The app is in the conversation, unlike possibly for “Plan this”. */
  isThere(scene: Scene): Promise<boolean>;
};

/** `own`: without an address. */
type PersonDetails = { address: string | null; name: string; own: string; guest: boolean };

const keptForMs = 10 * 60_000;
const maxKept = 5000;

/** Where tenants don't vouch. */
export function accountOf({ tenant, from }: Pick<Scene, 'tenant' | 'from'>): string {
  return `teams:${tenant}:${from.object ?? from.id}`;
}

/** A guest's is ana_example.com#EXT#@contoso.onmicrosoft.com. */
const isOwnName = (name: string | null | undefined) => name != null && !name.includes('#');

/** Null for guests. @param rest what missing data means */
export function readAddress(
  member: Member,
  tenant: string,
  object: string | null,
  rest: 'refused' | 'believed' = 'refused',
): string | null {
  const { tenantId, userRole, aadObjectId, objectId, email, userPrincipalName } = member;
  const known = aadObjectId ?? objectId ?? null;
  if (object === null || known !== object) return null;
  const profile = { tenantId: tenantId ?? null, userRole: userRole ?? null };
  const own = rest === 'believed' ? [null] : [];
  if (![tenant, ...own].includes(profile.tenantId) || !['user', ...own].includes(profile.userRole))
    return null;
  // Guests have addresses too; only user principal names differ.
  if (rest === 'refused' ? !isOwnName(userPrincipalName) : userPrincipalName?.includes('#'))
    return null;
  const address = [email, userPrincipalName].find((one) => one?.includes('@') === true);
  return address == null || !isOwnName(address) ? null : toAddress(address);
}

export function accountOfMember(access: TeamsAccess, member: Member, tenant: string): string {
  const object = member.aadObjectId ?? member.objectId ?? null;
  const rest = access.kind === 'Local' ? 'believed' : 'refused';
  const address = vouches(access, tenant) ? readAddress(member, tenant, object, rest) : null;
  return address ?? accountOf({ tenant, from: { id: member.id, object, name: '' } });
}

/** Person or app is not in the conversation. */
export const isAbsent = (error: unknown) =>
  error instanceof CountersignError && ['not_allowed', 'not_found'].includes(error.code);

export function createPeople(options: {
  access: TeamsAccess;
  connector: Calls;
  conversations: TeamsConversations;
  personOf: (account: string) => Promise<string>;
  noteName: (account: string, name: string) => Promise<void>;
  clock: Clock;
  timezone: string;
}): People {
  const { access, connector, conversations, personOf, noteName, clock, timezone } = options;
  const known = createRecent<PersonDetails>({ keep: maxKept, forMs: keptForMs, clock });

  /** Retried: identity must not depend on availability. */
  async function ask(scene: Scene): Promise<PersonDetails> {
    const { tenant, from, place, serviceUrl } = scene;
    const key = JSON.stringify([tenant, from.id, from.object]);
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found = await connector.member(
      { service_url: serviceUrl },
      conversationIdOf(place),
      from.id,
    );
    const object = from.object ?? found.aadObjectId ?? found.objectId ?? null;
    const own = accountOf({ tenant, from: { ...from, object } });
    const member = {
      own,
      // Local clients say little, but have full access anyway.
      address: readAddress(found, tenant, object, access.kind === 'Local' ? 'believed' : 'refused'),
      name: found.name ?? from.name,
      guest: access.kind !== 'Local' && (found.tenantId !== tenant || found.userRole !== 'user'),
    };
    await noteName((vouches(access, tenant) ? member.address : null) ?? own, member.name);
    known.set(key, member);
    return member;
  }

  async function zoneOf({ tenant, from, timezone: named }: Scene): Promise<string | null> {
    return named ?? (await conversations.findPersonal(tenant, from.id))?.timezone ?? null;
  }

  return {
    async find(scene) {
      const zone = await zoneOf(scene);
      // Without it the sender would become a second person.
      const { name, own, address, guest } = await ask(scene);
      const account = (vouches(access, scene.tenant) ? address : null) ?? own;
      const id = await personOf(account);
      const known = zone === null ? {} : { zone };
      return { id, account, name: name || account, guest, ...known, timezone: zone ?? timezone };
    },

    async findMember({ tenant, place, serviceUrl }, object) {
      const conversation = conversationIdOf(place);
      try {
        const member = await connector.member({ service_url: serviceUrl }, conversation, object);
        return await personOf(accountOfMember(access, member, tenant));
      } catch (error) {
        if (!isAbsent(error)) throw error;
        throw new CountersignError('invalid_request', words.notMember);
      }
    },

    async isThere({ place, serviceUrl, from }) {
      try {
        await connector.member({ service_url: serviceUrl }, conversationIdOf(place), from.id);
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        throw error;
      }
    },
  };
}

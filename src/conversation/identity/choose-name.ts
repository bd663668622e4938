// Which name two accounts go by once they are linked, and which once one of them has left. Pure.
import type { Surface } from '#contracts/actor.ts';
import { plainName } from '#contracts/names.ts';

/** Those that check who somebody is. Elsewhere a name is only typed. */
export function isVouchedBy(via: Surface): boolean {
  return via === 'slack' || via === 'teams';
}

const address = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const platformId = /^(?:slack|teams):/;

/**
 * Whether only a chat platform can say that somebody is this one, however it is written: names are compared without the `@`
 * before them and the case of their letters, so what looks like an address or an id after that is one.
 */
export function needsPlatform(name: string): boolean {
  const plain = plainName(name).normalize('NFKC');
  return plain.includes('@') || platformId.test(plain.trim());
}

/**
 * The better name is the higher: an address, as people are named in settings; a platform's id; a name that was typed. So
 * no chat account ever goes by a name that somebody merely typed.
 */
function rankOf(name: string): number {
  if (address.test(name)) return 2;
  return platformId.test(name) ? 1 : 0;
}

/** The name of both; of two that are as good, that of the one who asked for the code. */
export function chooseName(asked: string, used: string): string {
  return rankOf(used) > rankOf(asked) ? used : asked;
}

/**
 * What becomes of the accounts of `person` when `account` leaves.
 * @param accounts of the person, the first linked first
 * @returns the accounts that stay together and by which name, and those that act by their own again
 */
export function leavePerson(
  accounts: string[],
  person: string,
  account: string,
): { free: string[]; stay: string[]; person: string } {
  const rest = accounts.filter((one) => one !== account);
  // Whoever leaves takes the name along that is their own.
  const name = person === account ? rest.reduce(chooseName, rest[0] ?? account) : person;
  if (rest.length === 1 && rest[0] === name) return { free: accounts, stay: [], person: name };
  return { free: [account], stay: rest, person: name };
}

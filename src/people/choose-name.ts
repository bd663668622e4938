// Which name two linked accounts share, and which each keeps after unlinking. Pure.

const address = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const platformId = /^(?:slack|teams):/;

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
  // Unlinking takes a person's own name along.
  const name = person === account ? rest.reduce(chooseName, rest[0] ?? account) : person;
  if (rest.length === 1 && rest[0] === name) return { free: accounts, stay: [], person: name };
  return { free: [account], stay: rest, person: name };
}

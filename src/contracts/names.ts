// Names of people as plans write them ("Ben", "@ben") and as those who act carry them ("ben").

/** Whether both mean the same person: `@` and the case of letters make no difference. */
export function isSamePerson(a: string, b: string): boolean {
  const plain = (name: string) => name.trim().replace(/^@/, '').toLowerCase();
  return plain(a) === plain(b);
}

// Names of people as plans write them ("Ben", "@ben") and as those who act carry them ("ben").

/** The name by which it is compared. */
export function plainName(name: string): string {
  return name.trim().replace(/^@/, '').toLowerCase();
}

/** Whether both mean the same person: `@` and the case of letters make no difference. */
export function isSamePerson(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}

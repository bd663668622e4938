// Takes known secrets out of texts that people and logs get to see.

/** Shorter values are no secrets, and taking them out would garble what is said. */
const shortest = 6;

/** @returns a function that puts `…` where a text has one of `secrets` */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortest)
    // One may be the beginning of another.
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((result, secret) => result.replaceAll(secret, '…'), text);
}

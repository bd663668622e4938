// Redacts known secrets in texts for people and logs.

/** Shorter values are ignored: redacting them would garble texts. */
const shortest = 6;

/** @returns a function that replaces `secrets` in a text by `…` */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortest)
    // One may be the beginning of another.
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((result, secret) => result.replaceAll(secret, '…'), text);
}

// Redacts known secrets in texts.

/** Redacting shorter values would garble texts. */
const shortest = 6;

/** @returns a function that replaces `secrets` by `…` */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((result, secret) => result.replaceAll(secret, '…'), text);
}

// How much is remembered, and how a note reads. The console's page shares it.
/** `message`: notes that one message may keep. */
export const memoryLimits = { text: 500, name: 80, entries: 100, message: 20 } as const;

/** `Ana: ana@example.com` */
export function writeNote({ text, name }: { text: string; name: string | null }): string {
  return name === null ? text : `${name}: ${text}`;
}

// Memory limits and note format, shared with the console.
/** `message`: notes per message. */
export const memoryLimits = { text: 500, name: 80, entries: 100, message: 20 } as const;

/** `Ana: ana@example.com` */
export function writeNote({ text, name }: { text: string; name: string | null }): string {
  return name === null ? text : `${name}: ${text}`;
}

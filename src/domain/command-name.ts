// The name of the command line where this program runs.

/**
 * A clone runs TypeScript, where `npx` finds the command. Installed JavaScript is called by name: elsewhere `npx` would fetch a
 * registry's package of that name.
 */
export const commandName = import.meta.url.endsWith('.ts') ? 'npx countersign' : 'countersign';

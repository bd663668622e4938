// How people call the command line where this program runs.

/**
 * A clone runs its TypeScript, and `npx` finds the command there. Installed, it is JavaScript and called by its name: outside a project that has
 * it, `npx` would fetch whatever a registry has under that name.
 */
export const commandName = import.meta.url.endsWith('.ts') ? 'npx countersign' : 'countersign';

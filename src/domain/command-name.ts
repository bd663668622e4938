// The name of this program on the command line.

/** `npx` finds a clone's command; elsewhere it would fetch a registry package of that name. */
export const commandName = import.meta.url.endsWith('.ts') ? 'npx countersign' : 'countersign';

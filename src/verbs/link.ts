// `link`: be the same person here and on a chat platform.
import { link } from '#adapters/terminal/link.ts';
import { inTerminal, type Said } from './in-terminal.ts';

export function run(said: string | undefined, options: Said): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    link(service, { ...options, timezone, said: said ?? '' }, io),
  );
}

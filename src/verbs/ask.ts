// `ask`: plan, approve and watch in this terminal.
import { ask } from '#adapters/terminal/ask.ts';
import { inTerminal, type Said } from './in-terminal.ts';

export function run(text: string, options: Said & { yes?: true }): Promise<void> {
  return inTerminal(true, ({ service }, { timezone }, io) =>
    ask(service, { ...options, text, timezone }, io),
  );
}

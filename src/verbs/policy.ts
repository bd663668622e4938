// `policy`: how somebody likes to be talked to and asked.
import { policy } from '#adapters/terminal/policy.ts';
import { inTerminal, type Said } from './in-terminal.ts';

export function run(
  verb: 'show' | 'set' | 'reset',
  values: string[],
  options: Said,
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    policy(service, { ...options, verb, values, timezone }, io),
  );
}

// `plans`: what waits for a decision, what runs, and one plan in full.
import { listPlans } from '#adapters/terminal/plans.ts';
import { inTerminal, type Said } from './in-terminal.ts';

export function run(
  id: string | undefined,
  options: Said & { status?: string; trace?: true },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    listPlans(service, { ...options, timezone, ...(id === undefined ? {} : { id }) }, io),
  );
}

// Which back ends can run which lane: they must offer the operation and every capability it requires.
import type { Lane } from '#db/steps/steps.ts';
import { operationName } from '#domain/tool.ts';

type Kind = Pick<Lane, 'tool' | 'operation' | 'capabilities'>;

/** Whether a back end with these operations and capabilities can run steps of this kind. */
export function serves(
  { operations, capabilities }: { operations: string[]; capabilities: string[] },
  { tool, operation, capabilities: wanted }: Kind,
): boolean {
  return (
    operations.includes(operationName(tool, operation)) &&
    wanted.every((capability) => capabilities.includes(capability))
  );
}

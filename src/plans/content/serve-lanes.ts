// Matches lanes with back ends, which must offer the operation and every required capability.
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

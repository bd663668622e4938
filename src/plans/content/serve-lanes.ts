// Matches lanes with back ends by operation and capabilities.
import type { Lane } from '#db/steps/steps.ts';
import { operationName } from '#domain/tool.ts';

type Kind = Pick<Lane, 'tool' | 'operation' | 'capabilities'>;

export function serves(
  { operations, capabilities }: { operations: string[]; capabilities: string[] },
  { tool, operation, capabilities: wanted }: Kind,
): boolean {
  return (
    operations.includes(operationName(tool, operation)) &&
    wanted.every((capability) => capabilities.includes(capability))
  );
}

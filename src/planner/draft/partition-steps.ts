// Partitions steps of one kind by shared value or size.
import type { StepDraft } from '#domain/plan/step-content.ts';
import { onOneLine } from '#domain/words.ts';

const maxPartitions = 1000;

/** `letters-01`, zero-padded to the last. */
const nameSlice = (group: string, index: number, count: number): string =>
  `${group}-${String(index + 1).padStart(Math.max(2, String(count).length), '0')}`;

/**
 * @param values to partition by, or null for slices @param always partition even if one slice holds all
 * @returns names in order; empty if the steps stay together
 */
export function partitionSteps(
  group: string,
  steps: StepDraft[],
  values: string[] | null,
  { size, always }: { size: number; always: boolean },
): { partitions: string[] } | { problem: string } {
  if (values !== null) {
    const names = new Map<string, string>();
    for (const [index, step] of steps.entries()) {
      const value = onOneLine(values[index] ?? '', 100) || 'none';
      const name = `${group}-${value}`.slice(0, 200);
      names.set(name, name);
      step.partition = name;
    }
    if (names.size <= maxPartitions) return { partitions: [...names.keys()] };
    return {
      problem: `That makes ${names.size} partitions, and ${maxPartitions} is the limit. Partition by a value that more items share, or leave partition_by out.`,
    };
  }
  if (steps.length <= size && !always) return { partitions: [] };
  const count = Math.ceil(steps.length / size);
  const partitions = Array.from({ length: count }, (_, index) => nameSlice(group, index, count));
  for (const [index, step] of steps.entries()) {
    const name = partitions[Math.floor(index / size)];
    if (name !== undefined) step.partition = name;
  }
  return { partitions };
}

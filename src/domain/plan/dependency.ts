// Precedence between two steps of a plan.
import { z } from 'zod';
import { line } from '../text.ts';

/** The successor's start or finish waits for the predecessor's start or finish. */
export const DependencyType = z.enum(['FS', 'SS', 'FF', 'SF']);
export type DependencyType = z.infer<typeof DependencyType>;

export const Dependency = z.strictObject({
  id: line(200),
  type: DependencyType.default('FS'),
  lag_minutes: z.number().int().min(-525_600).max(525_600).default(0),
});
export type Dependency = z.infer<typeof Dependency>;

/** Expands a bare ID to finish-to-start. */
export function toDependency(entry: string | Dependency): Dependency {
  return typeof entry === 'string' ? { id: entry, type: 'FS', lag_minutes: 0 } : entry;
}

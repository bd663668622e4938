// Precedence between two steps.
import { z } from 'zod';
import { readLag } from '../length.ts';
import { line } from '../text.ts';

/** Predecessor's, then successor's: finish or start. */
export const DependencyType = z.enum(['FS', 'SS', 'FF', 'SF']);
export type DependencyType = z.infer<typeof DependencyType>;

export const Dependency = z.strictObject({
  id: line(200),
  type: DependencyType.default('FS'),
  lag_minutes: z.number().int().min(-525_600).max(525_600).default(0),
});
export type Dependency = z.infer<typeof Dependency>;

const LagText = line(100).transform((text, context) => {
  const read = readLag(text);
  if (typeof read === 'number') return read;
  context.addIssue({ code: 'custom', message: read });
  return z.NEVER;
});

/** With its wait: `{ id: '2', lag: '1 day' }`. */
const WrittenDependency = Dependency.extend({
  lag_minutes: Dependency.shape.lag_minutes.unwrap().optional(),
  lag: LagText.optional(),
})
  .refine(({ lag, lag_minutes }) => lag === undefined || lag_minutes === undefined, {
    message: 'takes lag or lag_minutes, not both',
  })
  .transform(
    ({ lag, lag_minutes = 0, ...rest }): Dependency => ({
      ...rest,
      lag_minutes: lag ?? lag_minutes,
    }),
  );

export const DraftDependency = z.union([line(200), WrittenDependency]);

export function fromDependency(dependency: Dependency): string | Dependency {
  const { id, type, lag_minutes } = dependency;
  return type === 'FS' && lag_minutes === 0 ? id : dependency;
}

/** A bare ID means finish-to-start. */
export function toDependency(entry: string | Dependency): Dependency {
  return typeof entry === 'string' ? { id: entry, type: 'FS', lag_minutes: 0 } : entry;
}

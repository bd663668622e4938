// The operations that change a step as it was entered in its form. Pure.
import type { JsonObject } from '../text.ts';
import type { ShownStep } from './call.ts';
import type { Zone } from './form-entries.ts';
import type { PatchOperation } from './patch.ts';

/** A failed step whose values change runs again. @param at a local time or empty */
export function operationsOf(
  step: Pick<ShownStep, 'id' | 'after' | 'not_before' | 'status'>,
  { changes, at, after }: { changes: JsonObject; at: string; after: string[] },
  zone: Zone,
): PatchOperation[] {
  const { id, not_before: notBefore } = step;
  const before = notBefore === null ? '' : (zone.toLocal(notBefore) ?? '');
  const set = {
    ...(Object.keys(changes).length === 0 ? {} : { args: changes }),
    ...(at === before ? {} : { not_before: at === '' ? null : zone.toMoment(at) }),
  };
  const known = step.after.map((one) => one.id);
  const added = after
    .filter((one) => !known.includes(one))
    .map((one): PatchOperation => {
      const edge = { id: one, type: 'FS', lag_minutes: 0 } as const;
      return { op: 'add_dependency', step: id, after: edge };
    });
  const gone = step.after
    .filter((one) => !after.includes(one.id))
    .map((one): PatchOperation => {
      return { op: 'remove_dependency', step: id, after: { id: one.id, type: one.type } };
    });
  const updates: PatchOperation[] =
    Object.keys(set).length === 0 ? [] : [{ op: 'update_steps', steps: { ids: [id] }, set }];
  const again: PatchOperation[] =
    step.status === 'failed' && updates.length > 0
      ? [{ op: 'rerun_steps', steps: { ids: [id] } }]
      : [];
  return [...updates, ...again, ...gone, ...added];
}

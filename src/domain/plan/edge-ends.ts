// The constraints of each precedence type. Without a schema, so that the console's page can load it.
import type { DependencyType } from './dependency.ts';

/** Whether a type counts from the predecessor's finish, and constrains the successor's finish. */
export const edgeEnds: Record<DependencyType, { fromFinish: boolean; toFinish: boolean }> = {
  FS: { fromFinish: true, toFinish: false },
  SS: { fromFinish: false, toFinish: false },
  FF: { fromFinish: true, toFinish: true },
  SF: { fromFinish: false, toFinish: true },
};

/** The type of two consecutive precedences: from the first's source to the second's target. */
export function joinTypes(first: DependencyType, second: DependencyType): DependencyType {
  if (edgeEnds[first].fromFinish) return edgeEnds[second].toFinish ? 'FF' : 'FS';
  return edgeEnds[second].toFinish ? 'SF' : 'SS';
}

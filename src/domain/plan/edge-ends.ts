// What each type of precedence holds. Without a schema, so that the console's page can load it.
import type { DependencyType } from './dependency.ts';

/** Whether a type counts from its predecessor's finish, and whether it holds its successor's finish. */
export const edgeEnds: Record<DependencyType, { fromFinish: boolean; toFinish: boolean }> = {
  FS: { fromFinish: true, toFinish: false },
  SS: { fromFinish: false, toFinish: false },
  FF: { fromFinish: true, toFinish: true },
  SF: { fromFinish: false, toFinish: true },
};

/** The type of two precedences in a row: where the first counts from, and what the second holds. */
export function joinTypes(first: DependencyType, second: DependencyType): DependencyType {
  if (edgeEnds[first].fromFinish) return edgeEnds[second].toFinish ? 'FF' : 'FS';
  return edgeEnds[second].toFinish ? 'SF' : 'SS';
}

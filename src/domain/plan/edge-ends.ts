// Precedence constraints, without a schema, for the console.
import type { DependencyType } from './dependency.ts';

export const edgeEnds: Record<DependencyType, { fromFinish: boolean; toFinish: boolean }> = {
  FS: { fromFinish: true, toFinish: false },
  SS: { fromFinish: false, toFinish: false },
  FF: { fromFinish: true, toFinish: true },
  SF: { fromFinish: false, toFinish: true },
};

/** Combines two consecutive precedences. */
export function joinTypes(first: DependencyType, second: DependencyType): DependencyType {
  if (edgeEnds[first].fromFinish) return edgeEnds[second].toFinish ? 'FF' : 'FS';
  return edgeEnds[second].toFinish ? 'SF' : 'SS';
}

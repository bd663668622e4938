// Creates an outline node with defaults.
import type { OutlineNode } from '#domain/planning/outline.ts';

export function makeNode(
  parts: Pick<OutlineNode, 'id' | 'title' | 'structure'> & Partial<OutlineNode>,
): OutlineNode {
  return {
    parent: null,
    rhythm: 'one_off',
    level: 1,
    origin: 'system',
    after: [],
    steps: [],
    duration_minutes: null,
    not_before: null,
    deadline: null,
    recurs: null,
    target: null,
    ...parts,
  };
}

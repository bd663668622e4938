// The kinds of automatic fixes to an outline. None removes a step.
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { PatternType } from '#domain/plan/pattern.ts';
import type { OutlineNode, Rhythm, Structure } from '#domain/planning/outline.ts';

type Change =
  /** The first later node of that ID becomes `to`. */
  | { do: 'rename'; node: string; to: string }
  | { do: 'rename_step'; step: string; to: string }
  | { do: 'add'; node: OutlineNode }
  | { do: 'move'; node: string; parent: string }
  | { do: 'set_structure'; node: string; structure: Structure }
  /** Anything but `recurring` drops the node's rule. */
  | { do: 'set_rhythm'; node: string; rhythm: Rhythm }
  | { do: 'unlink'; node: string; step: string | null; on: string; type: DependencyType }
  /** Its dependents wait for its predecessors; its parts move up. Kept if it has steps. */
  | { do: 'remove'; node: string }
  /** Its descendants become its siblings; order and times are kept. */
  | { do: 'flatten'; node: string }
  /** Its steps go into a new task beneath it. */
  | { do: 'push_down'; node: string; into: string }
  | { do: 'relevel'; node: string }
  | { do: 'repattern'; pattern: PatternType };

export type Fix = Change & {
  code: string;
  /** One sentence: what was wrong. */
  why: string;
  /** Shown on the card, because the plan does less than its words. */
  assume?: string;
};

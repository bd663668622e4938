// Kinds of automatic outline fixes. None removes a step.
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { PatternType } from '#domain/plan/pattern.ts';
import type { OutlineNode, Rhythm, Structure } from '#domain/planning/outline.ts';

type Change =
  /** Applies to the first later node of that ID. */
  | { do: 'rename'; node: string; to: string }
  | { do: 'rename_step'; step: string; to: string }
  | { do: 'add'; node: OutlineNode }
  | { do: 'move'; node: string; parent: string }
  | { do: 'set_structure'; node: string; structure: Structure }
  /** Anything but `recurring` drops the rule. */
  | { do: 'set_rhythm'; node: string; rhythm: Rhythm }
  | { do: 'unlink'; node: string; step: string | null; on: string; type: DependencyType }
  /** Dependents wait for its predecessors, parts move up. Kept if it has steps. */
  | { do: 'remove'; node: string }
  /** Descendants become siblings. */
  | { do: 'flatten'; node: string }
  /** Its steps move to a new task beneath it. */
  | { do: 'push_down'; node: string; into: string }
  | { do: 'relevel'; node: string }
  | { do: 'repattern'; pattern: PatternType };

export type Fix = Change & {
  code: string;
  why: string;
  /** For the card: how the plan does less than its words. */
  assume?: string;
};

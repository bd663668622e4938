// The five patterns (B6) as data: what each means, the words that hint at it, and what an outline of it looks like (B7).
// Whatever reads them takes the rules as they stand here; nothing about a single pattern is written anywhere else.
import type { Structure } from '#contracts/planning/outline.ts';
import type { PatternType } from '#contracts/planning/pattern.ts';
import { hybridProjectCycle } from './rules/hybrid-project-cycle.ts';
import { milestoneProject } from './rules/milestone-project.ts';
import { progressiveAccumulationArc } from './rules/progressive-accumulation-arc.ts';
import { recurringCycle } from './rules/recurring-cycle.ts';
import type { PatternRules } from './rules/shape.ts';
import { strategicTransformation } from './rules/strategic-transformation.ts';

export const patternRules: Record<PatternType, PatternRules> = {
  milestone_project: milestoneProject,
  recurring_cycle: recurringCycle,
  progressive_accumulation_arc: progressiveAccumulationArc,
  hybrid_project_cycle: hybridProjectCycle,
  strategic_transformation: strategicTransformation,
};

/** Parts that each structure may hold; what is beneath a checkpoint would not be looked at. */
export const partsOf: Record<Structure, Structure[]> = {
  goal: ['phase', 'milestone', 'task', 'checkpoint'],
  phase: ['phase', 'milestone', 'task', 'checkpoint'],
  milestone: ['task', 'checkpoint'],
  task: ['task', 'checkpoint'],
  checkpoint: [],
};

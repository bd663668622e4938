// Which function does the work of which stage; where a session rests there is none.
import type { Stage } from '#contracts/planning/stages.ts';
import type { Resting } from '../controller/table.ts';
import { collectContext } from './collect-context.ts';
import { draftOutline } from './draft-outline.ts';
import { draftRoadmap, validateRoadmapStage } from './roadmap-stages.ts';
import { draftSchedule, validateScheduleStage } from './schedule-stages.ts';
import { seekApproval } from './seek-approval.ts';
import type { StageRunner } from './stage.ts';
import { validateOutline } from './validate-outline.ts';

export const stages: Record<Exclude<Stage, Resting>, StageRunner> = {
  COLLECT_CONTEXT: collectContext,
  DRAFT_OUTLINE: draftOutline,
  VALIDATE_OUTLINE: validateOutline,
  DRAFT_ROADMAP: draftRoadmap,
  VALIDATE_ROADMAP: validateRoadmapStage,
  DRAFT_SCHEDULE: draftSchedule,
  VALIDATE_SCHEDULE: validateScheduleStage,
  SEEK_APPROVAL: seekApproval,
};

// Plans as a list in Slack: one line each, with a button that opens the plan. Pure.
import type { types } from '@slack/bolt';
import { pressWords } from '#cards/chat-words.ts';
import { slackLimits } from '#cards/limits.ts';
import { cutShown } from '#cards/plain.ts';
import { describePlan, sortPlans } from '#cards/plan-list.ts';
import { listedAtMost } from '#conversation/find-plans.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';

type Block = types.KnownBlock;

export function plainSection(text: string): types.SectionBlock {
  return {
    type: 'section',
    text: { type: 'plain_text', text: cutShown(text, slackLimits.sectionText), emoji: false },
  };
}

export function headerBlock(text: string): Block {
  return {
    type: 'header',
    text: { type: 'plain_text', text: cutShown(text, slackLimits.headerText), emoji: false },
  };
}

/** The lines of a list, each with a button that opens the plan's details. @param bar as in `describePlan` */
export function listBlocks(
  plans: PlanSummary[],
  now: string,
  { waiting, bar }: { waiting: ReadonlySet<string>; bar: boolean },
): Block[] {
  return sortPlans(plans, waiting)
    .slice(0, listedAtMost)
    .map((plan) => {
      const { id, version, digest } = plan;
      return {
        ...plainSection(describePlan(plan, now, waiting, bar)),
        accessory: {
          type: 'button',
          action_id: `countersign:details:${id}`,
          text: { type: 'plain_text', text: pressWords.details, emoji: false },
          value: JSON.stringify({ action: 'details', plan_id: id, version, digest }),
        },
      };
    });
}

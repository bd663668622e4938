// Plans as lists in Slack: one line each, with a button that opens the plan. Pure.
import type { types } from '@slack/bolt';
import { reviewLabel } from '#cards/buttons.ts';
import { pressWords } from '#cards/chat-words.ts';
import { slackLimits } from '#cards/limits.ts';
import { describePlan, type PlanListView } from '#cards/plan-list.ts';
import type { InboxPlan } from '#domain/plan/inbox.ts';
import { cutShown } from '#domain/shown-text.ts';

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

/** Of a line, so that a message of as many as a list has stays within `slackLimits.message`. */
const titleAtMost = 100;

/** A plan on one line, with a button that opens all of it. @param bar as in `describeStanding` */
function planBlock(plan: InboxPlan, now: string, bar: boolean): Block {
  const { id, version, digest, may_approve: decides } = plan;
  const [title = '', ...facts] = describePlan(plan, now, { bar, reader: null }).split('\n');
  return {
    ...plainSection([cutShown(title, titleAtMost), ...facts].join('\n')),
    accessory: {
      type: 'button',
      action_id: `countersign:details:${id}`,
      text: { type: 'plain_text', text: decides ? reviewLabel : pressWords.details, emoji: false },
      value: JSON.stringify({ action: 'details', plan_id: id, version, digest }),
    },
  };
}

/** A list under its name, and what shows the rest of it. */
export function listBlocks(
  { heading, plans, more }: PlanListView['sections'][number],
  now: string,
  bar: boolean,
): Block[] {
  return [
    ...(heading === '' ? [] : [headerBlock(heading)]),
    ...plans.map((plan) => planBlock(plan, now, bar)),
    ...(more === '' ? [] : [plainSection(more)]),
  ];
}

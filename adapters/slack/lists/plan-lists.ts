// Plans as a list in Slack: one line each with its age and who asked, those that wait for the reader first. Pure.
import type { types } from '@slack/bolt';
import { cutText, isolateText, showLine } from '#cards/plain.ts';
import { drawBar } from '#cards/report.ts';
import { formatAge, statusWords } from '#cards/words.ts';
import { isSamePerson } from '#contracts/names.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { PlanSummary } from '#contracts/service.ts';

type Block = types.KnownBlock;

/** Lines of one list: a message takes 50 blocks. */
export const listedAtMost = 20;

// The keys of the table are the statuses, in the order of a list.
export const statuses = Object.keys(statusWords) as PlanStatus[];

/** Whether the plan's own rule lets `user` approve it; the service has the last word. */
function waitsFor(
  { status, approver_policy: policy, requester }: PlanSummary,
  user: string,
): boolean {
  if (status !== 'proposed' && status !== 'needs_review') return false;
  switch (policy.kind) {
    case 'requester':
      return isSamePerson(requester, user);
    case 'not_requester':
      return !isSamePerson(requester, user);
    case 'named':
    case 'n_of':
      return policy.people.some((one) => isSamePerson(one, user));
    case 'anyone':
      return true;
    default:
      return policy satisfies never;
  }
}

/** Those that wait for the reader first, then by status. */
export function sortPlans(plans: PlanSummary[], user: string): PlanSummary[] {
  const rank = (plan: PlanSummary) => (waitsFor(plan, user) ? -1 : statuses.indexOf(plan.status));
  return plans.toSorted((a, b) => rank(a) - rank(b));
}

function describePlan(plan: PlanSummary, user: string, now: string): string {
  const { counts, total_steps: total, status } = plan;
  const state = waitsFor(plan, user)
    ? 'waits for you'
    : status === 'executing'
      ? `${drawBar(counts.succeeded, total)} ${counts.succeeded} of ${total}`
      : statusWords[status];
  const by = isolateText(showLine(plan.requester, 60));
  return `${showLine(plan.title, 200)}\n${plan.id} · ${state} · ${formatAge(plan.created_at, now)} · ${by}`;
}

export function plainSection(text: string): types.SectionBlock {
  return { type: 'section', text: { type: 'plain_text', text: cutText(text, 3000), emoji: false } };
}

export function headerBlock(text: string): Block {
  return { type: 'header', text: { type: 'plain_text', text: cutText(text, 150), emoji: false } };
}

/** The lines of a list, each with a button that opens the plan's details. */
export function listBlocks(plans: PlanSummary[], user: string, now: string): Block[] {
  return sortPlans(plans, user)
    .slice(0, listedAtMost)
    .map((plan) => {
      const { id, version, digest } = plan;
      return {
        ...plainSection(describePlan(plan, user, now)),
        accessory: {
          type: 'button',
          action_id: `countersign:details:${id}`,
          text: { type: 'plain_text', text: 'Details', emoji: false },
          value: JSON.stringify({ action: 'details', plan_id: id, version, digest }),
        },
      };
    });
}

/** How many plans stand where, in lines. */
export function describeCounts(counts: Map<PlanStatus, number>, more: boolean): string {
  const lines = statuses.flatMap((status) => {
    const count = counts.get(status) ?? 0;
    return count === 0 ? [] : [`${count} ${statusWords[status]}`];
  });
  if (lines.length === 0) return 'There are no plans yet.';
  return [...lines, ...(more ? ['There are older ones, which are not counted.'] : [])].join('\n');
}

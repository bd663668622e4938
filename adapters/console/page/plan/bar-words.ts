// Sentences of the review bar.
import { describeDone, describeExpected } from '#cards/times.ts';
import type { PlanView as PlanWords } from '#cards/view.ts';
import { formatCost } from '#cards/words.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';

type Drawn = { facts: PlanCardFacts; view: PlanWords };

export type BarWords = {
  head: string;
  facts: string[];
};

const maxReason = 160;

/** `3 changes · 1 guarded`, or that it only reads. Repeated changes count once. */
function describeChanges({ review, plan, repeats }: PlanCardFacts): string[] {
  if (review.steps === 0) return [`Only reads`, countOf(plan.total_steps, 'step')];
  const once = repeats !== undefined && repeats.length > 0;
  const guarded = review.calls.reduce(
    (sum, { step, times }) => sum + (step.guarded ? (once ? 1 : times) : 0),
    0,
  );
  const known =
    review.calls.every(({ step }) => step.guarded) && review.different > review.calls.length;
  return [
    `${review.more ? 'more than ' : ''}${countOf(once ? review.different : review.steps, 'change')}`,
    ...(guarded === 0
      ? []
      : [`${guarded.toLocaleString('en-US')}${known ? ' or more' : ''} guarded`]),
  ];
}

function describeProposal({ facts, view }: Drawn): BarWords {
  const [head = '', ...changes] = describeChanges(facts);
  const { cost_usd: cost } = facts.plan;
  return {
    head,
    facts: [
      ...changes,
      ...describeExpected(facts),
      ...(cost === 0 ? [] : [formatCost(cost)]),
      ...(view.approvals === '' ? [] : [view.approvals]),
    ],
  };
}

/** Short, and not if the page says it in full. */
function describeFailure({ facts, view }: Drawn, shown: boolean): BarWords {
  const { result_summary: result } = facts.plan;
  const [first] = facts.failed;
  const reason = first?.error?.message ?? (facts.failed.length === 0 ? result : null);
  return {
    head: `${view.state.symbol} ${view.state.words}`,
    facts: [
      describeDone(facts),
      ...(shown || reason === null ? [] : [quoteWords(reason, maxReason)]),
    ],
  };
}

/** @param shown the page already says why it failed */
export function describeBar(card: Drawn, shown: boolean): BarWords {
  const { facts, view } = card;
  const { status, revising } = facts.plan;
  const head = `${view.state.symbol} ${view.state.words}`;
  if (revising) return { head, facts: ['nothing runs until a new version is approved'] };
  switch (status) {
    case 'proposed':
    case 'needs_review':
      return describeProposal(card);
    case 'failed':
      return describeFailure(card, shown);
    case 'approved':
    case 'executing':
    case 'stalled':
    case 'completed':
    case 'rejected':
    case 'cancelled': {
      const { text = '', pace = '' } = view.progress ?? {};
      const parts = [text, pace].filter((one) => one !== '');
      // Questions speak for themselves.
      const [first = head, ...rest] = view.asks.length === 0 ? [head, ...parts] : parts;
      return { head: first, facts: rest };
    }
    default:
      return status satisfies never;
  }
}

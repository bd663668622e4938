// The review of a plan, page by page, in the place of its card: every call whole, and the plan approved from there, or of a short
// plan only the checked steps. Pure.
import { windowWords } from '#cards/chat-words.ts';
import { viewDetails } from '#cards/details-view.ts';
import type { Drawn } from '#cards/expand.ts';
import { drawAdaptiveDetails } from '#cards/expand-teams.ts';
import { refreshVerb } from '#cards/refresh.ts';
import type { ReviewPage } from '#cards/review.ts';
import { verbs } from '#cards/teams-inputs.ts';
import type { CardPress, PlanCardFacts } from '#contracts/card.ts';

/** What the press carries from page to page: the cursors up to here, and the list it was opened from. */
type Held = { press: CardPress; pages: string[]; list: string | null };

export function drawDetails(
  facts: PlanCardFacts,
  page: ReviewPage,
  { press, pages, list }: Held,
): Drawn {
  const back =
    list === null
      ? { title: windowWords.back.plan, verb: refreshVerb, data: { plan_id: facts.plan.id } }
      : { title: windowWords.back.list, verb: verbs.list, data: { list } };
  const details = list === null ? press : { ...press, list };
  // A list may be shown where its plans are not at home, so nothing is decided from there.
  const view = viewDetails(facts, { ...page, pages }, list === null);
  return drawAdaptiveDetails(view, details, back);
}

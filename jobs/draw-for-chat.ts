// A message of the bot as Slack or Teams takes it: what it says, and under it the card of its plan. Together they stay
// within what the platform takes; the text is kept short where a card says the rest.
import { drawAdaptiveCard, drawAdaptiveText, drawBlocks, drawTextBlocks } from '#cards/expand.ts';
import { fitCard, measureBlocks, measureCard, slackLimits, teamsLimits } from '#cards/limits.ts';
import { viewNotice } from '#cards/text-view.ts';
import type { PlanView, TextView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { ChatContent } from '#contracts/chat.ts';
import type { Platform } from '#contracts/inbox.ts';
import type { Said } from '#conversation/delivery/delivery-context.ts';

/** Paragraphs and characters of a text that has a card under it. */
const aboveCard = { paragraphs: 6, characters: 500 };

function viewAbove(text: string): TextView {
  const view = viewNotice(text);
  const paragraphs = view.paragraphs.slice(0, aboveCard.paragraphs);
  return {
    ...view,
    paragraphs: paragraphs.map((line) =>
      line.length > aboveCard.characters ? `${line.slice(0, aboveCard.characters - 1)}…` : line,
    ),
    // The card has what is left out here, and its link.
    more: '',
  };
}

function drawForSlack(above: TextView, view: PlanView): ChatContent {
  const said = drawTextBlocks(above);
  const blocks = fitCard(
    view,
    (shrunk) => [...said.blocks, ...drawBlocks(shrunk).blocks],
    (all) => all.length <= slackLimits.blocks && measureBlocks(all) <= slackLimits.message,
  );
  return { text: said.text, card: blocks };
}

function drawForTeams(above: TextView, view: PlanView): ChatContent {
  const { body: said } = drawAdaptiveText(above);
  const card = fitCard(
    view,
    (shrunk) => {
      const drawn = drawAdaptiveCard(shrunk);
      return { ...drawn, body: [said, drawn.body].flat() };
    },
    (all) => measureCard(all) <= teamsLimits.payload,
  );
  return { text: drawTextBlocks(above).text, card };
}

function drawNotice(platform: Platform, view: TextView): ChatContent {
  const { text, blocks } = drawTextBlocks(view);
  return { text, card: platform === 'slack' ? blocks : drawAdaptiveText(view) };
}

export function drawForChat(platform: Platform, { text, facts, superseded }: Said): ChatContent {
  if (facts === null) return drawNotice(platform, viewNotice(text));
  const view = viewPlan(facts);
  if (superseded) {
    const notice = viewAbove(text);
    const below = `The card of ${view.plan_id} “${view.title}” is further down.`;
    return drawNotice(platform, { ...notice, paragraphs: [...notice.paragraphs, below] });
  }
  return platform === 'slack'
    ? drawForSlack(viewAbove(text), view)
    : drawForTeams(viewAbove(text), view);
}

// Draws a message of the bot for Slack or Teams: its text and, below it, the card of its plan or planning session. Both together
// stay within the platform's limits; the text is short where the card says the rest.
import { openCard, sayAsked } from '#cards/asked-words.ts';
import { fallbackFor } from '#cards/dress-slack.ts';
import { drawAdaptiveCard, drawAdaptiveText, drawBlocks, drawTextBlocks } from '#cards/expand.ts';
import { fitCard, measureBlocks, measureCard, slackLimits, teamsLimits } from '#cards/limits.ts';
import { writeAboveCard, writeMessage } from '#cards/message-text.ts';
import { addRefresh } from '#cards/press.ts';
import { hasCard, viewSession } from '#cards/session-view.ts';
import { findConcerned } from '#cards/state.ts';
import { drawPlainText, drawText, viewNotice } from '#cards/text.ts';
import type { PlanView, SessionView, TextLink, TextView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import type { Platform } from '#domain/chat/inbox.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { cutShown } from '#domain/shown-text.ts';
import type { Said } from './delivery-context.ts';

/** Paragraphs and characters of a text that has a card under it. */
const aboveCard = { paragraphs: 6, characters: 500 };

/** What was said and the card below does not say; its buttons are the call to action. */
function viewAbove({ parts, text }: Said): TextView {
  const { paragraphs, ...rest } = viewNotice(writeAboveCard(parts, text));
  return {
    ...rest,
    paragraphs: paragraphs
      .slice(0, aboveCard.paragraphs)
      .map((line) => cutShown(line, aboveCard.characters)),
    // The card has what is left out here, and its link.
    more: 0,
  };
}

/** The block of names that the adapter adds for the people who are asked. */
const roomForMention = { blocks: 1, characters: 1200 };

function drawForSlack(
  above: TextView,
  view: PlanView | SessionView,
  { mentions, withPlan }: { mentions: boolean; withPlan: boolean },
): unknown {
  const said = drawTextBlocks(above);
  const room = mentions ? roomForMention : { blocks: 0, characters: 0 };
  return fitCard(
    view,
    (shrunk) => [...said.blocks, ...drawBlocks(shrunk, withPlan).blocks],
    (all) =>
      all.length + room.blocks <= slackLimits.blocks &&
      measureBlocks(all) + room.characters <= slackLimits.message,
  );
}

function drawForTeams(above: TextView, view: PlanView | SessionView): unknown {
  const { body: said } = drawAdaptiveText(above);
  return fitCard(
    view,
    (shrunk) => {
      const drawn = drawAdaptiveCard(shrunk);
      return addRefresh({ ...drawn, body: [said, drawn.body].flat() }, shrunk);
    },
    (all) => measureCard(all) <= teamsLimits.payload,
  );
}

/** For notifications and those who see no card: Slack reads marks in it, Teams takes it as it is. */
function sayInWords(platform: Platform, view: PlanView | SessionView | TextView): string {
  if (platform === 'slack') return fallbackFor(view);
  return 'paragraphs' in view ? drawPlainText(view) : drawText(view);
}

function drawNotice(platform: Platform, said: TextView): ChatContent {
  // Neither platform takes a message of nothing.
  const view = said.paragraphs.length > 0 ? said : { ...said, paragraphs: ['…'] };
  const card = platform === 'slack' ? drawTextBlocks(view).blocks : drawAdaptiveText(view);
  return { text: sayInWords(platform, view), card };
}

/** Characters and lines that a message shows whole, on whatever platform. */
const shownWhole = { characters: 6000, lines: 30 };

/** The card that the message links to. */
function linkIn(parts: MessageParts | null): TextLink | null {
  if (parts?.kind !== 'notice' || parts.facts.code !== 'asked') return null;
  const { link: url } = parts.facts;
  return url === null ? null : { url, label: openCard };
}

/** What has no card; all of it is in a file where the message shows a part. */
function drawWords(platform: Platform, text: string, link: TextLink | null = null): ChatContent {
  const drawn = drawNotice(platform, viewNotice(text, { link }));
  const lines = text.split('\n').length;
  if (text.length <= shownWhole.characters && lines <= shownWhole.lines) return drawn;
  return { ...drawn, file: { name: 'answer.txt', title: 'All of it', text } };
}

/** Whether what the card was posted with, that it asks for a decision, still is so. */
function asksStill(view: PlanView | SessionView): boolean {
  if (!('plan_id' in view)) return view.buttons.length > 0 || view.asks.length > 0;
  return view.buttons.some(({ press }) => press.action === 'approve');
}

/**
 * What was said, and the card as it stands now. Slack reads this aloud in place of the blocks. Who sees no card can answer in
 * words, so for them what the card asks for is left out only once it is decided.
 */
function twinOf({ parts, text }: Said, view: PlanView | SessionView): TextView {
  const notice = viewNotice(writeMessage(parts, text, asksStill(view)));
  return { ...notice, paragraphs: [...notice.paragraphs, drawText(view)], more: 0 };
}

function drawCard(platform: Platform, said: Said, view: PlanView | SessionView): ChatContent {
  const above = viewAbove(said);
  if (platform === 'slack') {
    const mentions = said.asked != null;
    const draw = (withPlan: boolean) => drawForSlack(above, view, { mentions, withPlan });
    const text = sayInWords(platform, twinOf(said, view));
    const plain = draw(false);
    return view.tasks === null ? { text, card: plain } : { text, card: draw(true), plain };
  }
  // In Teams the card itself is read aloud; its text is for notifications.
  const words = sayInWords(platform, said.text.trim() === '' ? view : viewNotice(said.text));
  return { text: words, card: drawForTeams(above, view) };
}

/** Where the text says it all, a card would only say it again. */
function drawSession(platform: Platform, said: Said, facts: SessionCardFacts): ChatContent {
  const view = viewSession(facts);
  return hasCard(view) ? drawCard(platform, said, view) : drawWords(platform, said.text);
}

export function drawForChat(platform: Platform, said: Said): ChatContent {
  const { parts, text, facts, session, asked = null, superseded } = said;
  if (session !== null) return drawSession(platform, said, session);
  if (facts === null) return drawWords(platform, text, linkIn(parts));
  const view = viewPlan(facts);
  if (superseded) {
    // What it asked for is asked further down now; answered here, it would be about what stands there.
    const notice = viewNotice(writeMessage(parts, text, false));
    const below = `The card of ${view.plan_id} “${view.title}” is further down.`;
    const paragraphs = [...notice.paragraphs.slice(0, aboveCard.paragraphs), below];
    return drawNotice(platform, { ...notice, paragraphs, more: 0 });
  }
  const drawn = {
    ...drawCard(platform, said, view),
    ...(asked === null ? {} : { mention: { people: asked.people, words: sayAsked(asked) } }),
  };
  // In Slack a card is the same for all.
  return platform === 'slack' ? drawn : { ...drawn, concerns: findConcerned(facts) };
}

// Draws a message as it should look now.
import { hash } from 'node:crypto';
import { openCard, sayAsked } from '#cards/asked-words.ts';
import { writeAboveCard, writeMessage } from '#cards/message-text.ts';
import { hasCard, viewSession } from '#cards/session-view.ts';
import { findConcerned } from '#cards/state.ts';
import { drawText, viewNotice } from '#cards/text.ts';
import type { PlanView, SessionView, TextLink, TextView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PostRow } from '#db/chat/posts.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { type MessageParts, readParts } from '#domain/chat/message-parts.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import { cutShown, quoteWords } from '#domain/shown-text.ts';
import type { DeliveryContext, VisibleMessage } from './delivery-context.ts';
import type { Visit } from './visit.ts';

const ended = new Set<PlanStatus>(['completed', 'cancelled']);

/** Then the card is drawn once more. */
function isOver({ plan, patch }: PlanCardFacts): boolean {
  return ended.has(plan.status) && patch === null;
}

/** To decide, answer or settle. */
function waitsForPeople(facts: PlanCardFacts): boolean {
  if (isOver(facts)) return false;
  const { plan, patch } = facts;
  const asked = plan.counts.waiting + plan.counts.unknown > 0 || patch !== null;
  return asked || ['proposed', 'needs_review', 'stalled', 'failed'].includes(plan.status);
}

/** Only the run's latest, waiting or repeatable. */
function isOpen(session: SessionCardFacts | null): boolean {
  return session !== null && session.over === null && session.status !== 'complete';
}

export type Drawing = {
  content: ChatContent;
  digest: string;
  /** 0 without the card, null without a plan. */
  version: number | null;
  /** The plan has ended, or the session has continued. */
  rests: boolean;
  needed: boolean;
  /** Left out because the platform fails. */
  follows: boolean;
};

async function unlessMissing<T>(reading: Promise<T | null>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    if (
      error.code === 'plan_not_found' ||
      error.code === 'plan_deleted' ||
      error.code === 'run_not_found'
    )
      return null;
    throw error;
  }
}

/**
 * A card that failed twice, or for long, is left out: the text must get through.
 * @throws the message's errors, never the place's
 */
export async function drawMessage(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
): Promise<Drawing> {
  try {
    return await draw(context, visit, row);
  } catch (cause) {
    throw new Error(`The message could not be drawn: ${errorMessage(cause)}`, { cause });
  }
}

async function draw(
  context: DeliveryContext,
  { conversation, place, timezone }: Visit,
  {
    message_id: id,
    text,
    parts,
    plan_id,
    run_id,
    run_turn: turn,
    post,
    superseded,
    failures,
    failing_ms,
  }: PostRow,
): Promise<Drawing> {
  const isCard = plan_id !== null || run_id !== null;
  const late = failing_ms >= context.rule.bareAfterMs;
  const bare = post === null && (failures >= 2 || late);
  const facts =
    bare || plan_id === null ? null : await unlessMissing(context.readFacts(plan_id, timezone));
  const visible =
    bare || run_id === null || turn === null
      ? null
      : { run_id, turn, message: { id, conversation, text } };
  const session =
    visible === null ? null : await unlessMissing(context.readSession(visible, timezone));
  const asked =
    facts === null || superseded
      ? null
      : await context.readAsked({
          id,
          conversation,
          plan_id,
          parts: readParts(parts),
          alone: timezone !== null,
        });
  const content = context.draw(place.platform, {
    text,
    parts: readParts(parts),
    facts,
    session,
    asked,
    superseded,
  });
  return {
    content,
    digest: hash('sha256', JSON.stringify(content), 'hex'),
    version: facts?.plan.version ?? (plan_id === null ? null : 0),
    rests: facts === null ? run_id !== null && !bare && !isOpen(session) : isOver(facts),
    follows: bare && isCard && failures < 2,
    needed: (facts !== null && !superseded && waitsForPeople(facts)) || isOpen(session),
  };
}

export type CardDrawing = {
  text(view: TextView): unknown;
  /** @returns `plain`: fallback if `card` is rejected */
  card(
    above: TextView,
    view: PlanView | SessionView,
    asks: boolean,
  ): Pick<ChatContent, 'card' | 'plain'>;
  /** In the platform's escapes, for notifications. */
  words(view: PlanView | SessionView | TextView): string;
  /** By screen readers: the full text, or the card. */
  readAloud: 'text' | 'card';
  /** Each reader may get their own card. */
  forReaders: boolean;
};

const aboveCard = { paragraphs: 6, characters: 500 };

/** Without what the card repeats. */
function viewAbove({ parts, text }: VisibleMessage): TextView {
  const { paragraphs, ...rest } = viewNotice(writeAboveCard(parts, text));
  return {
    ...rest,
    paragraphs: paragraphs
      .slice(0, aboveCard.paragraphs)
      .map((line) => cutShown(line, aboveCard.characters)),
    // The card has the rest and its link.
    more: 0,
  };
}

function drawNotice(drawing: CardDrawing, notice: TextView): ChatContent {
  // Platforms reject empty messages.
  const view = notice.paragraphs.length > 0 ? notice : { ...notice, paragraphs: ['…'] };
  return { text: drawing.words(view), card: drawing.text(view) };
}

const shownWhole = { characters: 6000, lines: 30 };

function linkIn(parts: MessageParts | null): TextLink | null {
  if (parts?.kind !== 'notice' || parts.facts.code !== 'asked') return null;
  const { link: url } = parts.facts;
  return url === null ? null : { url, label: openCard };
}

function drawWords(drawing: CardDrawing, text: string, link: TextLink | null = null): ChatContent {
  const drawn = drawNotice(drawing, viewNotice(text, { link }));
  const lines = text.split('\n').length;
  if (text.length <= shownWhole.characters && lines <= shownWhole.lines) return drawn;
  return { ...drawn, file: { name: 'answer.txt', title: 'All of it', text } };
}

function asksStill(view: PlanView | SessionView): boolean {
  if (!('plan_id' in view)) return view.buttons.length > 0 || view.asks.length > 0;
  return view.buttons.some(({ press }) => press.action === 'approve');
}

/** Readers without cards can answer in words. */
function twinOf({ parts, text }: VisibleMessage, view: PlanView | SessionView): TextView {
  const notice = viewNotice(writeMessage(parts, text, asksStill(view)));
  return { ...notice, paragraphs: [...notice.paragraphs, drawText(view)], more: 0 };
}

function drawCard(
  drawing: CardDrawing,
  message: VisibleMessage,
  view: PlanView | SessionView,
): ChatContent {
  const card = drawing.card(viewAbove(message), view, message.asked != null);
  if (drawing.readAloud === 'text') return { text: drawing.words(twinOf(message, view)), ...card };
  return {
    text: drawing.words(message.text.trim() === '' ? view : viewNotice(message.text)),
    ...card,
  };
}

/** A card would only repeat the text. */
function drawSession(
  drawing: CardDrawing,
  message: VisibleMessage,
  facts: SessionCardFacts,
): ChatContent {
  const view = viewSession(facts);
  return hasCard(view) ? drawCard(drawing, message, view) : drawWords(drawing, message.text);
}

export function drawForChat(drawing: CardDrawing, message: VisibleMessage): ChatContent {
  const { parts, text, facts, session, asked = null, superseded } = message;
  if (session !== null) return drawSession(drawing, message, session);
  if (facts === null) return drawWords(drawing, text, linkIn(parts));
  const view = viewPlan(facts);
  if (superseded) {
    // Asked again below.
    const notice = viewNotice(writeMessage(parts, text, false));
    const below = `The card of ${view.plan_id} ${quoteWords(facts.plan.title, 300)} is further down.`;
    const paragraphs = [...notice.paragraphs.slice(0, aboveCard.paragraphs), below];
    return drawNotice(drawing, { ...notice, paragraphs, more: 0 });
  }
  const drawn = {
    ...drawCard(drawing, message, view),
    ...(asked === null ? {} : { mention: { people: asked.people, words: sayAsked(asked) } }),
  };
  return drawing.forReaders ? { ...drawn, concerns: findConcerned(facts) } : drawn;
}

// A message as Teams takes it: what `cards/` drew, with the people for whom it is refreshed, within the size that gets through. Pure.
import { z } from 'zod';
import { platformLimits } from '#cards/limits.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { cutText } from '#domain/shown-text.ts';
import { addMention, type Mentioned } from './mention.ts';

export const cardType = 'application/vnd.microsoft.card.adaptive';

const Card = z.looseObject({
  type: z.literal('AdaptiveCard'),
  refresh: z.looseObject({ action: z.unknown() }).optional(),
});

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value), 'utf8');

/** The card with as many of `readers` as there is room for. */
export function fillReaders(card: unknown, readers: string[], room: number): object {
  const parsed = Card.parse(card);
  const { refresh } = parsed;
  if (refresh === undefined || readers.length === 0) return parsed;
  for (let count = readers.length; count > 0; count = Math.floor(count / 2)) {
    const filled = { ...parsed, refresh: { ...refresh, userIds: readers.slice(0, count) } };
    if (sizeOf(filled) <= room) return filled;
  }
  return parsed;
}

export function makeActivity(
  { text, card }: ChatContent,
  {
    bot,
    readers,
    mentioned = null,
    aloud = false,
  }: { bot: string; readers: string[]; mentioned?: Mentioned | null; aloud?: boolean },
): object {
  const common = { type: 'message', from: { id: bot } };
  // Plain: nothing in it is markup, and it names nobody.
  if (card === null) return { ...common, text, textFormat: 'plain' };
  // What the list of chats and the feed of what is new show.
  const [summary = ''] = text.split('\n', 1);
  const around = { ...common, summary: cutText(summary, platformLimits.teams.summary) };
  const room = platformLimits.teams.message - sizeOf(around) - platformLimits.teams.around;
  const named = mentioned === null ? card : addMention(card, mentioned, aloud);
  // What somebody decides by must get through, with or without names.
  const shown = sizeOf(named) <= room ? named : card;
  return {
    ...around,
    attachments: [{ contentType: cardType, content: fillReaders(shown, readers, room) }],
  };
}

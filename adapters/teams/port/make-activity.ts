// Makes Teams messages within size limits. Pure.
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

/** Adds as many readers as fit. */
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
  // Plain: no markup, no mentions.
  if (card === null) return { ...common, text, textFormat: 'plain' };
  // For the chat list and activity feed.
  const [summary = ''] = text.split('\n', 1);
  const around = { ...common, summary: cutText(summary, platformLimits.teams.summary) };
  const room = platformLimits.teams.message - sizeOf(around) - platformLimits.teams.around;
  const named = mentioned === null ? card : addMention(card, mentioned, aloud);
  // A decision must arrive, with or without readers.
  const shown = sizeOf(named) <= room ? named : card;
  return {
    ...around,
    attachments: [{ contentType: cardType, content: fillReaders(shown, readers, room) }],
  };
}

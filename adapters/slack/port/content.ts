// What `cards/` drew, as Slack takes it: words that ping nobody, and blocks.
import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { ChatContent } from '#domain/chat/chat.ts';

/** Blocks, bare or as the message that `cards/` draws; null: text only. */
const Card = z.union([
  z.array(z.looseObject({ type: z.string() })),
  z
    .looseObject({ blocks: z.array(z.looseObject({ type: z.string() })) })
    .transform(({ blocks }) => blocks),
  z.null().transform(() => []),
]);

/** Text that pings nobody. What `cards/` wrote is escaped already; of that this changes nothing. */
export function calm(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `plain`: the same without Slack's `plan` block; null: it has none. */
export type SlackContent = {
  text: string;
  blocks: types.KnownBlock[];
  plain: types.KnownBlock[] | null;
};

// Blocks of `cards/` are Slack's by construction; its own servers have the last word on them.
const blocksOf = (card: unknown) => Card.parse(card ?? null) as types.KnownBlock[];

export function contentOf({ text, card, plain }: ChatContent): SlackContent {
  const blocks = blocksOf(card);
  return { text: calm(text), blocks, plain: plain === undefined ? null : blocksOf(plain) };
}

/** What keeps a message from reaching anybody it does not name. */
export const quiet = {
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;

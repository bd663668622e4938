// Turns output of `cards/` into Slack content with fallbacks.
import type { types } from '@slack/bolt';
import { z } from 'zod';
import { escapeMrkdwn } from '#cards/plain.ts';
import type { ChatContent, Mention, Reached } from '#domain/chat/chat.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { groupIn } from '#domain/people/groups.ts';
import { readUserGroupId } from '#domain/people/user-groups.ts';
import { createRecent } from '#domain/recent.ts';
import type { Reach, ReachablePerson } from '../people/reach.ts';

/** Null for text only. */
const Card = z.union([
  z.array(z.looseObject({ type: z.string() })),
  z
    .looseObject({ blocks: z.array(z.looseObject({ type: z.string() })) })
    .transform(({ blocks }) => blocks),
  z.null().transform(() => []),
]);

/** Removes pings; escaped text stays. */
export function calm(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `plain`: without the `plan` block, or null. */
export type SlackContent = {
  text: string;
  blocks: types.KnownBlock[];
  plain: types.KnownBlock[] | null;
};

// `cards/` makes valid blocks; Slack checks them.
const blocksOf = (card: unknown) => Card.parse(card ?? null) as types.KnownBlock[];

export function contentOf({ text, card, plain }: ChatContent): SlackContent {
  const blocks = blocksOf(card);
  return { text: calm(text), blocks, plain: plain === undefined ? null : blocksOf(plain) };
}

/** No mentions, no unfurled links. */
export const quiet = {
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;

/** Permanent. */
const refusedBlocks = new Set([
  'block_mismatch',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
]);

const isRefusal = (error: unknown): boolean =>
  error instanceof CountersignError && refusedBlocks.has(String(error.details.slack));

export type SlackMessageBody = { text: string; blocks: types.KnownBlock[] };
type WriteContent = <T>(
  team: string,
  content: SlackContent,
  write: (body: SlackMessageBody) => Promise<T>,
) => Promise<T>;

const maxKept = 1000;
/** For a workspace that refused the block. */
const refusedForMs = 6 * 3_600_000;

export function createWriteContent(options: {
  clock: Clock;
  warn(message: string, error?: unknown): void;
}): WriteContent {
  const { clock, warn } = options;
  const refusing = createRecent<number>({ keep: maxKept });
  const now = () => clock.now().getTime();

  async function writeWords<T>(
    { text, blocks }: SlackMessageBody,
    write: (body: SlackMessageBody) => Promise<T>,
  ) {
    try {
      return await write({ text, blocks });
    } catch (error) {
      if (!isRefusal(error) || blocks.length === 0) throw error;
      warn('Slack rejected a card; sent its text instead.', error);
      return write({ text, blocks: [] });
    }
  }

  return async (team, { text, blocks, plain }, write) => {
    if (plain === null) return writeWords({ text, blocks }, write);
    if ((refusing.get(team) ?? 0) > now()) return writeWords({ text, blocks: plain }, write);
    try {
      return await write({ text, blocks });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      let taken = true;
      const written = await write({ text, blocks: plain }).catch((second: unknown) => {
        if (!isRefusal(second)) throw second;
        taken = false;
        warn('Slack rejected a card; sent its text instead.', second);
        return write({ text, blocks: [] });
      });
      // Accepted without the block, so that was refused.
      if (taken) {
        refusing.set(team, now() + refusedForMs);
        warn(`Slack rejected plan blocks in ${team}; cards there show progress as text.`, error);
      }
      return written;
    }
  };
}

/** `known`: user or group ID, or null. */
type Named = { name: string; shown: string; known: ReachablePerson | { group: string } | null };

export type Mentioned = Named[];

function groupOf(team: string, name: string): { group: string } | null {
  const known = readUserGroupId(groupIn(name) ?? '');
  return known?.team === team ? { group: known.id } : null;
}

/** @throws transient errors */
export async function findMentioned(
  reach: Reach,
  team: string,
  mention: Mention | undefined,
): Promise<Mentioned> {
  return Promise.all(
    (mention?.people ?? []).map(async ({ name, shown }) => ({
      name,
      shown,
      known: groupOf(team, name) ?? (await reach.find(team, name)),
    })),
  );
}

type Run = types.RichTextSection['elements'][number];

const text = (words: string): Run => ({ type: 'text', text: words });

/** @param aloud also in the notification text */
export function addMention(
  { text: body, blocks, plain }: SlackContent,
  mentioned: Mentioned,
  words: string,
  aloud: boolean,
): SlackContent {
  if (mentioned.every(({ known }) => known === null)) return { text: body, blocks, plain };
  const runs = mentioned.flatMap(({ shown, known }, index): Run[] => [
    ...(index === 0 ? [] : [text(' ')]),
    known === null
      ? text(shown)
      : 'group' in known
        ? { type: 'usergroup', usergroup_id: known.group }
        : { type: 'user', user_id: known.user },
  ]);
  const names = mentioned.map(({ shown, known }) =>
    known === null
      ? escapeMrkdwn(shown)
      : 'group' in known
        ? `<!subteam^${known.group}>`
        : `<@${known.user}>`,
  );
  const named: types.KnownBlock = {
    type: 'rich_text',
    block_id: 'countersign:asked',
    elements: [{ type: 'rich_text_section', elements: [...runs, text(` ${words}`)] }],
  };
  return {
    text: aloud ? `${names.join(' ')} ${escapeMrkdwn(words)}\n${body}` : body,
    blocks: [named, ...blocks],
    plain: plain === null ? null : [named, ...plain],
  };
}

/** @throws transient errors */
export async function reachEach(
  reach: Reach,
  team: string,
  mentioned: Mentioned,
): Promise<Reached[]> {
  const reached: Reached[] = [];
  for (const { name, known } of mentioned) {
    // Slack notifies group members itself.
    if (known === null || 'group' in known) continue;
    const { timezone } = known;
    reached.push({ name, place: await reach.openDirect(team, known), timezone });
  }
  return reached;
}

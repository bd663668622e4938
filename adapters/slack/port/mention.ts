// Mentions the people that a message asks in a block above the card. Slack notifies on new messages only, so an edited message
// keeps the block while it is true.
import type { types } from '@slack/bolt';
import { escapeMrkdwn } from '#cards/plain.ts';
import type { Mention, Reached } from '#domain/chat/chat.ts';
import { groupIn } from '#domain/people/groups.ts';
import { readUserGroupId } from '#domain/people/user-groups.ts';
import type { Reach, ReachablePerson } from '../people/reach.ts';
import type { SlackContent } from './content.ts';

/** `known`: the user or the ID of a user group, or null for neither. */
type Named = { name: string; shown: string; known: ReachablePerson | { group: string } | null };

export type Mentioned = Named[];

/** The workspace's user group that a rule names. */
function groupOf(team: string, name: string): { group: string } | null {
  const known = readUserGroupId(groupIn(name) ?? '');
  return known?.team === team ? { group: known.id } : null;
}

/** The mentioned people known to Slack. @throws transient errors */
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

/** Adds their names above the content if Slack knows any. @param aloud also in the notification text */
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

/** The direct messages of those known to Slack. @throws transient errors */
export async function reachEach(
  reach: Reach,
  team: string,
  mentioned: Mentioned,
): Promise<Reached[]> {
  const reached: Reached[] = [];
  for (const { name, known } of mentioned) {
    // Slack notifies members of a group through the mention.
    if (known === null || 'group' in known) continue;
    const { timezone } = known;
    reached.push({ name, place: await reach.openDirect(team, known), timezone });
  }
  return reached;
}

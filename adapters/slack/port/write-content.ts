// Writes a message as well as Slack takes it: with its `plan` block, else the same card in text blocks, else its words alone:
// buttons that stand there must not stay when what they were about is over. Each is tried once in a call, so the latest state is
// what stands there, and a workspace that refuses the block is not asked again for a while.
import type { types } from '@slack/bolt';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import type { SlackContent } from './content.ts';

/** What Slack says to blocks it will never take. */
const refusedBlocks = new Set([
  'block_mismatch',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
]);

const isRefusal = (error: unknown): boolean =>
  error instanceof CountersignError && refusedBlocks.has(String(error.details.slack));

export type Said = { text: string; blocks: types.KnownBlock[] };
type WriteContent = <T>(
  team: string,
  content: SlackContent,
  write: (said: Said) => Promise<T>,
) => Promise<T>;

const maxKept = 1000;
/** How long a workspace that refused the block is not sent another. */
const refusedForMs = 6 * 3_600_000;

export function createWriteContent(options: {
  clock: Clock;
  warn(message: string, error?: unknown): void;
}): WriteContent {
  const { clock, warn } = options;
  const refusing = createRecent<number>({ keep: maxKept });
  const now = () => clock.now().getTime();

  async function writeWords<T>({ text, blocks }: Said, write: (said: Said) => Promise<T>) {
    try {
      return await write({ text, blocks });
    } catch (error) {
      if (!isRefusal(error) || blocks.length === 0) throw error;
      warn('Slack did not take a card; its words were written instead.', error);
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
        warn('Slack did not take a card; its words were written instead.', second);
        return write({ text, blocks: [] });
      });
      // Where the same card is taken without it, it is the block that is refused.
      if (taken) {
        refusing.set(team, now() + refusedForMs);
        warn(`Slack takes no plan blocks in ${team}: cards show progress as text there.`, error);
      }
      return written;
    }
  };
}

// Fills an open window.
import type { types } from '@slack/bolt';
import { windowWords } from '#cards/chat-words.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { SlackContext } from '../slack-context.ts';
import { noticeWindow } from './windows.ts';

/** Closed or changed meanwhile. */
const goneOn = new Set(['not_found', 'view_not_found', 'hash_conflict']);

const isAlert = (block: types.AnyBlock): block is types.AlertBlock => block.type === 'alert';

/** For a Slack without that block. */
const withoutAlerts = (view: types.ModalView): types.ModalView => ({
  ...view,
  blocks: view.blocks.map((block) =>
    isAlert(block) ? { type: 'section', text: block.text } : block,
  ),
});

/** Shows an error if Slack refuses it. */
export async function putView(
  { clientOf, warn }: Pick<SlackContext, 'clientOf' | 'warn'>,
  team: string,
  { id, hash }: { id: string; hash?: string },
  view: types.ModalView,
): Promise<void> {
  const client = await clientOf(team);
  const known = hash === undefined ? {} : { hash };
  try {
    await client.views.update({ view_id: id, ...known, view });
  } catch (cause) {
    const error = explainSlackError(cause, 'fill a window');
    if (goneOn.has(String(error.details.slack))) return;
    if (view.blocks.some(isAlert))
      return putView({ clientOf, warn }, team, { id, ...known }, withoutAlerts(view));
    warn('Could not fill a Slack window.', error);
    // Otherwise it would load forever.
    const sorry = noticeWindow(windowWords.failed);
    await client.views.update({ view_id: id, view: sorry });
  }
}

// Slack's windows as the adapter has them: one that only says something, and one that enters or approves what it remembers. Pure.
import type { types } from '@slack/bolt';
import { windowWords } from '#cards/chat-words.ts';
import type { Drawn } from '#cards/expand.ts';
import { drawWindow, textSection } from '#cards/slack-windows.ts';
import { type Held, writeHeld } from './held.ts';

type Block = types.KnownBlock;

/** Blocks of `cards/` are Slack's by construction. */
export const toBlocks = (drawn: Drawn[]) => drawn as unknown as Block[];

/** What sending a window does: it enters something, or approves the plan it shows or the checked steps of it. */
type Kind = 'form' | 'approve' | 'part';
const callbackOf = (kind: Kind | 'notice') => `countersign:${kind}`;

type Sent = { callback_id: string };

export function isPart({ callback_id }: Sent): boolean {
  return callback_id === callbackOf('part');
}

/** Of a plan that the window shows, or of some of its steps. */
export function isApproval(view: Sent): boolean {
  return isPart(view) || view.callback_id === callbackOf('approve');
}

export function makeWindow(options: {
  title: string;
  blocks: Block[];
  submit?: string;
  kind?: Kind;
  held?: Held;
}): types.ModalView {
  const { title, blocks, submit = null, kind, held } = options;
  // As its blocks are.
  return drawWindow({
    ...{ title, blocks, submit },
    close: kind === 'form' ? windowWords.cancel : windowWords.close,
    callback_id: callbackOf(kind ?? 'notice'),
    metadata: held === undefined ? '' : writeHeld(held),
  }) as unknown as types.ModalView;
}

export function noticeWindow({ title, text }: { title: string; text: string }): types.ModalView {
  return makeWindow({ title, blocks: [textSection(text)] });
}

// Slack's notices and forms. Pure.
import type { types } from '@slack/bolt';
import { windowWords } from '#cards/chat-words.ts';
import type { Drawn } from '#cards/expand.ts';
import { platformLimits } from '#cards/limits.ts';
import { drawWindow, textSection } from '#cards/slack-windows.ts';
import { type Held, writeHeld } from './held.ts';

type Block = types.KnownBlock;

/** `cards/` makes valid blocks. */
export const toBlocks = (drawn: Drawn[]) => drawn as unknown as Block[];

/** Enter something, or approve the plan or its ticked steps. */
type Kind = 'form' | 'approve' | 'part';
const callbackOf = (kind: Kind | 'notice') => `countersign:${kind}`;

type Sent = { callback_id: string };

export function isPart({ callback_id }: Sent): boolean {
  return callback_id === callbackOf('part');
}

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
  // Valid as its blocks are.
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

export function textSections(lines: string[]): types.KnownBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const before = texts.at(-1);
    if (before === undefined || before.length + 1 + line.length > platformLimits.slack.sectionText)
      texts.push(line);
    else texts[texts.length - 1] = `${before}\n${line}`;
  }
  return texts.map(textSection);
}

// A window with the whole of what a person is asked, page by page; the last page confirms it.
import type { types } from '@slack/bolt';
import { reviewAsk } from '#cards/ask-review.ts';
import { windowWords } from '#cards/chat-words.ts';
import { slackLimits } from '#cards/limits.ts';
import type { PlanView } from '#cards/view.ts';
import type { CardPress } from '#contracts/card.ts';
import type { Held } from './held.ts';
import { makeWindow, textSection } from './windows.ts';

/** What says yes from the window. A task is answered with the buttons and forms of its card. */
const agreeing = new Set<CardPress['action']>(['settle_retry', 'approve']);

/** Lines in as few sections as hold them. */
function textSections(lines: string[]): types.KnownBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const before = texts.at(-1);
    if (before === undefined || before.length + 1 + line.length > slackLimits.sectionText)
      texts.push(line);
    else texts[texts.length - 1] = `${before}\n${line}`;
  }
  return texts.map(textSection);
}

/** Code points of a line in one section, where each has at most two UTF-16 code units. */
const parts = /[\s\S]{1,1450}/gu;

/** null: `press` is about a whole plan, or nothing like it is asked any more */
export function fillAsk(view: PlanView, press: CardPress, held: Held): types.ModalView | null {
  const page = reviewAsk(view, press, held.pages.at(-1) ?? '', slackLimits.askPage);
  if (page === null) return null;
  const confirm = page.buttons.find((button) => agreeing.has(button.press.action));
  const blocks = [
    textSection(page.label),
    ...textSections(page.lines.flatMap((line) => line.match(parts) ?? [' '])),
  ];
  if (page.next !== null) {
    const more = {
      type: 'button' as const,
      action_id: 'countersign:page:next',
      text: { type: 'plain_text' as const, text: windowWords.pages.later, emoji: false },
      value: page.next,
    };
    return makeWindow({
      title: view.plan_id,
      held,
      blocks: [...blocks, { type: 'actions', elements: [more] }],
    });
  }
  // What is opened from a list or from Home decides nothing.
  return confirm === undefined || held.place === null
    ? makeWindow({ title: view.plan_id, held, blocks })
    : makeWindow({
        title: view.plan_id,
        submit: confirm.label,
        kind: 'form',
        held: { ...held, press: confirm.press },
        blocks,
      });
}

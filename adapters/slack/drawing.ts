// Slack's drawing: Block Kit, and text read aloud instead of the blocks.
import { fallbackFor } from '#cards/dress-slack.ts';
import { drawBlocks, drawTextBlocks } from '#cards/expand.ts';
import { fitCard, measureBlocks, platformLimits } from '#cards/limits.ts';
import type { CardDrawing } from '#chat/outbox/draw-message.ts';

/** Room for the block of mentions that the port adds. */
const roomForMention = { blocks: 1, characters: 1200 };

export const slackDrawing: CardDrawing = {
  text: (view) => drawTextBlocks(view).blocks,
  card(above, view, asks) {
    const textBlocks = drawTextBlocks(above);
    const room = asks ? roomForMention : { blocks: 0, characters: 0 };
    const draw = (withPlan: boolean) =>
      fitCard(
        view,
        (shrunk) => [...textBlocks.blocks, ...drawBlocks(shrunk, withPlan).blocks],
        (all) =>
          all.length + room.blocks <= platformLimits.slack.blocks &&
          measureBlocks(all) + room.characters <= platformLimits.slack.message,
      );
    const plain = draw(false);
    return view.tasks === null ? { card: plain } : { card: draw(true), plain };
  },
  words: fallbackFor,
  readAloud: 'text',
  forReaders: false,
};

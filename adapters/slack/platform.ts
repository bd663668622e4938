// Slack as a platform of the instance.
import { fallbackFor } from '#cards/dress-slack.ts';
import { drawBlocks, drawTextBlocks } from '#cards/expand.ts';
import { fitCard, measureBlocks, platformLimits } from '#cards/limits.ts';
import type { CardDrawing } from '#chat/outbox/draw-message.ts';
import { definePlatform } from '#chat/platform.ts';
import { readSlackAccess, type SlackAccess, slackVariables } from './access.ts';

/** Room for the mentions that the port adds. */
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

function describeReach({ transport, workspaces }: SlackAccess): string {
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'listens for Slack at /slack/events';
  return workspaces.kind === 'one' ? way : `${way}; workspaces add it at ${workspaces.installAt}`;
}

export const slack = definePlatform({
  name: 'slack',
  title: 'Slack',
  guide: 'docs/slack.md',
  variables: slackVariables,
  drawing: slackDrawing,
  read(env) {
    const access = readSlackAccess(env);
    if (access === null) return null;
    const { transport, workspaces } = access;
    const many = workspaces.kind === 'many' ? workspaces : null;
    return {
      shared: many !== null,
      reached: describeReach(access),
      facts: {
        transport: transport.kind,
        workspaces: workspaces.kind,
        install_at: many?.installAt ?? null,
        allowed: many === null ? [] : many.allowed,
      },
      open: async (parts) => (await import('./open-slack.ts')).openSlack(access, parts),
      check: async (warn) => (await import('./check.ts')).checkSlack(access, warn),
      advice: 'Set it again; docs/slack.md says where to find each token and secret.',
    };
  },
});

// A message of the bot as Slack shows it: Block Kit drawn by slack-blocks-to-jsx, in Slack's own colours.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Block, Message, type MessageProps } from 'slack-blocks-to-jsx';

// React comes with slack-blocks-to-jsx, whose peer it is; of it these two functions are used.
const load = createRequire(import.meta.url);
const { createElement } = load('react') as {
  createElement(type: typeof Message, props: MessageProps): unknown;
};
const { renderToStaticMarkup } = load('react-dom/server') as {
  renderToStaticMarkup(element: unknown): string;
};

const styles = readFileSync(
  new URL(import.meta.resolve('slack-blocks-to-jsx/dist/style.css')),
  'utf8',
);
const icon = readFileSync(new URL('../../docs/slack-icon.png', import.meta.url));
const logo = `data:image/png;base64,${icon.toString('base64')}`;

export const slackWidth = 680;

/** The drawer leaves out what a menu has chosen; said as its placeholder, it is drawn. */
function showChosen(block: unknown): unknown {
  if (Array.isArray(block)) return block.map(showChosen);
  if (typeof block !== 'object' || block === null) return block;
  const shown = Object.fromEntries(
    Object.entries(block).map(([name, value]) => [name, showChosen(value)]),
  );
  const chosen: unknown = shown.initial_option;
  return typeof chosen === 'object' && chosen !== null && 'text' in chosen
    ? { ...shown, placeholder: chosen.text }
    : shown;
}

type View = {
  title: { text: string };
  submit?: { text: string };
  close: { text: string };
  blocks: unknown;
};

/** What a window has around its blocks: its title above them, its buttons below. */
function frame({ title, submit, close }: View, body: string): string {
  const button = ({ text }: { text: string }, look: string) => `<b class="${look}">${text}</b>`;
  return `<section class="window"><header>${title.text}</header><main>${body}</main><footer>${button(
    close,
    'plain',
  )}${submit === undefined ? '' : button(submit, 'primary')}</footer></section>`;
}

/**
 * @param card blocks; of a window its view
 * @param place Home and windows show blocks alone, a conversation the name of who says them as well
 */
export function drawSlackPage(
  card: unknown,
  scheme: 'light' | 'dark',
  place: 'home' | 'window' | 'conversation' = 'conversation',
): string {
  // A card for a window is its view.
  const view = place === 'window' ? (card as View) : null;
  const blocks = view === null ? card : view.blocks;
  const message = createElement(Message, {
    // Blocks of cards/ are Slack's by construction; a test holds them to Slack's reference.
    blocks: showChosen(blocks) as Block[],
    name: 'Countersign',
    logo,
    time: new Date('2026-02-03T14:10:00Z'),
    theme: scheme,
    withoutWrapper: place !== 'conversation',
  });
  const dark = scheme === 'dark';
  const body = renderToStaticMarkup(message);
  return `<!doctype html><meta charset="utf-8"><style>${styles}
    body { margin: 0; padding: 14px 20px; width: ${slackWidth - 40}px;
      background: ${dark ? '#1a1d21' : '#ffffff'}; color: ${dark ? '#d1d2d3' : '#1d1c1d'};
      font: 15px/22px Lato, "Slack-Lato", "Noto Color Emoji", "DejaVu Sans", sans-serif; }
    #slack_blocks_to_jsx .slack_blocks_to_jsx, #slack_blocks_to_jsx.slack_blocks_to_jsx { font-family: inherit !important; }
    .slack_blocks_to_jsx--block_wrapper + .slack_blocks_to_jsx--block_wrapper { margin-top: 8px; }
    .slack_blocks_to_jsx__header { margin: 0; }
    #slack_blocks_to_jsx .font-semibold { font-weight: 700; }
    #slack_blocks_to_jsx .slack_blocks_to_jsx__header_heading { font-weight: 900; }
    .window { width: 520px; margin: 0 auto; border: 1px solid #8888; border-radius: 8px; }
    .window header { padding: 16px 24px; font-weight: 900; font-size: 20px; border-bottom: 1px solid #8884; }
    .window main { padding: 16px 24px; }
    .window footer { padding: 16px 24px; border-top: 1px solid #8884; display: flex; gap: 12px; justify-content: end; }
    .window footer b { padding: 5px 14px; border: 1px solid #8888; border-radius: 6px; }
    .window footer .primary { background: #007a5a; color: #fff; }
  </style><body>${view === null ? body : frame(view, body)}</body>`;
}

// A message of the bot as Slack shows it: Block Kit drawn by slack-blocks-to-jsx, in Slack's own colours.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Block, Message, type MessageProps } from 'slack-blocks-to-jsx';
import { slackFonts } from './fonts.ts';

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

type Task = { title: string; status: string; details?: unknown; output?: unknown };
type Plan = { type: 'plan'; title: string; tasks: Task[] };

const isPlan = (block: unknown): block is Plan =>
  typeof block === 'object' && block !== null && 'type' in block && block.type === 'plan';

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The words of a rich text. */
function wordsOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(wordsOf).join('');
  if (typeof node !== 'object' || node === null) return '';
  if ('text' in node && typeof node.text === 'string') return node.text;
  return 'elements' in node ? wordsOf(node.elements) : '';
}

/** Slack's `plan` block, opened, which the drawer does not know: a title, and a sign with each task. */
function drawPlan({ title, tasks }: Plan): string {
  const rows = tasks.map(({ title: name, status, details, output }) => {
    const note = wordsOf(details ?? output);
    const small = note === '' ? '' : `<small>${escapeHtml(note)}</small>`;
    return `<li class="${status}"><i></i><span>${escapeHtml(name)}${small}</span></li>`;
  });
  return `<div class="plan"><b>${escapeHtml(title)} ⌄</b><ul>${rows.join('')}</ul></div>`;
}

const placeholder = (index: number) => `plan-block-${index}-stands-here`;

/** The blocks as the renderer takes them, and the plans to insert for their placeholders. */
function setPlansAside(blocks: unknown): { blocks: unknown; plans: string[] } {
  if (!Array.isArray(blocks)) return { blocks, plans: [] };
  const plans = blocks.filter(isPlan);
  return {
    blocks: blocks.map((block) =>
      isPlan(block)
        ? {
            type: 'context',
            elements: [{ type: 'plain_text', text: placeholder(plans.indexOf(block)) }],
          }
        : block,
    ),
    plans: plans.map(drawPlan),
  };
}

type View = {
  title: { text: string };
  submit?: { text: string };
  close: { text: string };
  blocks: unknown;
};

/** A window's frame: title above its blocks, buttons below. */
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
  const { blocks, plans } = setPlansAside(view === null ? card : view.blocks);
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
  const drawn = renderToStaticMarkup(message);
  const body = plans.reduce(
    (html, plan, index) => html.replace(placeholder(index), () => plan),
    drawn,
  );
  return `<!doctype html><meta charset="utf-8"><style>${styles}${slackFonts}
    body { margin: 0; padding: 14px 20px; box-sizing: border-box; width: 100%; overflow-wrap: anywhere;
      background: ${dark ? '#1a1d21' : '#ffffff'}; color: ${dark ? '#d1d2d3' : '#1d1c1d'};
      font: 15px/22px Lato, "DejaVu Sans", Signs, sans-serif; }
    #slack_blocks_to_jsx .slack_blocks_to_jsx, #slack_blocks_to_jsx.slack_blocks_to_jsx { font-family: inherit !important; }
    .slack_blocks_to_jsx--block_wrapper + .slack_blocks_to_jsx--block_wrapper { margin-top: 8px; }
    .slack_blocks_to_jsx__header { margin: 0; }
    #slack_blocks_to_jsx .font-semibold { font-weight: 700; }
    #slack_blocks_to_jsx .slack_blocks_to_jsx__header_heading { font-weight: 900; }
    .plan { font-size: 15px; line-height: 22px; color: ${dark ? '#d1d2d3' : '#1d1c1d'}; border: 1px solid #8886; border-radius: 8px; padding: 8px 12px; }
    .plan ul { list-style: none; margin: 4px 0 0; padding: 0; }
    .plan li { display: flex; gap: 8px; align-items: baseline; padding: 2px 0; }
    .plan li i { flex: none; width: 15px; font-style: normal; text-align: center; }
    .plan .pending i::before { content: '○'; color: #8a8a8a; }
    .plan .in_progress i::before { content: '◐'; color: #1264a3; }
    .plan .complete i::before { content: '✓'; color: #007a5a; }
    .plan .error i::before { content: '!'; color: #e01e5a; font-weight: 900; }
    .plan small { display: block; font-size: 13px; line-height: 18px; opacity: 0.75; }
    .window { max-width: 520px; margin: 0 auto; border: 1px solid #8888; border-radius: 8px; }
    .window header { padding: 16px 24px; font-weight: 900; font-size: 20px; border-bottom: 1px solid #8884; }
    .window main { padding: 16px 24px; }
    .window footer { padding: 16px 24px; border-top: 1px solid #8884; display: flex; gap: 12px; justify-content: end; }
    .window footer b { padding: 5px 14px; border: 1px solid #8888; border-radius: 6px; }
    .window footer .primary { background: #007a5a; color: #fff; }
  </style><body>${view === null ? body : frame(view, body)}</body>`;
}

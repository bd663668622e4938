// Reads blocks and attachments as Slack markup. Pure.
// https://docs.slack.dev/reference/block-kit/blocks
import { escapeMrkdwn } from '#cards/plain.ts';
import { planThisWords } from '#cards/plan-this.ts';
import { showLine } from '#domain/shown-text.ts';
import { isObject, longestMessage } from '#domain/text.ts';

type Part = Record<string, unknown>;

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isObject) : []);
const notEmpty = (text: string) => text.trim() !== '';

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `&gt; ${line}`)
    .join('\n');
}

/** Plain or markup. */
function readObject(value: unknown): string {
  if (!isObject(value)) return '';
  const text = textOf(value.text);
  return value.type === 'mrkdwn' ? text : escapeMrkdwn(text);
}

function readElement(element: Part): string {
  const { type } = element;
  const id = textOf(element.user_id ?? element.usergroup_id ?? element.channel_id);
  const text = escapeMrkdwn(textOf(element.text));
  switch (type) {
    case 'text': {
      const isCode = isObject(element.style) && element.style.code === true;
      return isCode ? `\`${text}\`` : text;
    }
    case 'link':
      return `<${escapeMrkdwn(textOf(element.url))}${text === '' ? '' : `|${text}`}>`;
    case 'user':
      return `<@${id}>`;
    case 'usergroup':
      return `<!subteam^${id}>`;
    case 'channel':
      return `<#${id}>`;
    case 'broadcast':
      return `<!${textOf(element.range)}>`;
    case 'emoji':
      return `:${textOf(element.name)}:`;
    case 'date':
      return (
        escapeMrkdwn(textOf(element.fallback)) || `<!date^${Number(element.timestamp)}^{date}>`
      );
    case 'color':
      return escapeMrkdwn(textOf(element.value));
    default:
      return text;
  }
}

const readSection = ({ elements }: Part) => partsOf(elements).map(readElement).join('');

function readRichElement(part: Part): string {
  switch (part.type) {
    case 'rich_text_list': {
      const indent = '  '.repeat(Math.min(Number(part.indent) || 0, 8));
      const first = Number(part.offset) || 0;
      return partsOf(part.elements)
        .map((item, index) => {
          const mark = part.style === 'ordered' ? `${first + index + 1}.` : '•';
          return `${indent}${mark} ${readSection(item)}`;
        })
        .join('\n');
    }
    case 'rich_text_quote':
      return quote(readSection(part));
    case 'rich_text_preformatted':
      return `\`\`\`\n${readSection(part)}\n\`\`\``;
    default:
      return readSection(part);
  }
}

const readRichText = ({ elements }: Part) =>
  partsOf(elements).map(readRichElement).filter(notEmpty).join('\n');

const wordless = new Set(['divider', 'actions', 'input', 'context_actions']);

function readBlock(block: Part): string {
  const type = textOf(block.type);
  switch (type) {
    case 'rich_text':
      return readRichText(block);
    case 'section':
      return [readObject(block.text), ...partsOf(block.fields).map(readObject)]
        .filter(notEmpty)
        .join('\n');
    case 'header':
      return readObject(block.text);
    case 'markdown':
      return escapeMrkdwn(textOf(block.text));
    case 'context':
      return partsOf(block.elements)
        .map((one) => (one.type === 'image' ? '' : readObject(one)))
        .filter(notEmpty)
        .join(' ');
    case 'table':
      return (Array.isArray(block.rows) ? block.rows : [])
        .map((row) => partsOf(row).map(readCell).join(' | '))
        .join('\n');
    case 'image':
    case 'video':
    case 'file': {
      const name = readObject(block.title) || textOf(block.alt_text) || textOf(block.external_id);
      return escapeMrkdwn(planThisWords.unread({ what: `${type} ${name}`.trim() }));
    }
    default:
      return wordless.has(type) || type === ''
        ? ''
        : escapeMrkdwn(planThisWords.unread({ what: `a block of the type ${type}` }));
  }
}

function readCell(cell: Part): string {
  return cell.type === 'rich_text' ? readRichText(cell) : escapeMrkdwn(textOf(cell.text));
}

const readBlocks = (blocks: unknown) => partsOf(blocks).map(readBlock).filter(notEmpty).join('\n');

function readAttachment(given: Part): string {
  const nested = partsOf(given.message_blocks).map(({ message }) =>
    isObject(message) ? readBlocks(message.blocks) : '',
  );
  const fields = partsOf(given.fields).map(
    ({ title, value }) => `${textOf(title)}: ${textOf(value)}`,
  );
  const title = textOf(given.title);
  const link = textOf(given.title_link);
  const written = textOf(given.text) || nested.filter(notEmpty).join('\n');
  const texts = [
    textOf(given.pretext),
    title === '' || link === '' ? title : `<${escapeMrkdwn(link)}|${title}>`,
    written || readBlocks(given.blocks),
    ...fields,
  ].filter(notEmpty);
  const author = ['author_name', 'author_subname', 'service_name', 'footer']
    .map((name) => textOf(given[name]))
    .find(notEmpty);
  const isMessage = given.is_share === true || given.is_msg_unfurl === true;
  const image = textOf(given.image_url) || textOf(given.thumb_url);
  const unread = [
    ...(image === '' ? [] : ['an image']),
    ...partsOf(given.files).map(({ name }) => `file ${textOf(name)}`),
  ].map((what) => escapeMrkdwn(planThisWords.unread({ what })));
  const body = [...(texts.length > 0 ? texts : [textOf(given.fallback)]), ...unread].filter(
    notEmpty,
  );
  if (body.length === 0) return '';
  // A line break could pass the rest off as the sender's text.
  const by = escapeMrkdwn(showLine(author ?? planThisWords.someone, 100));
  const heading = (isMessage ? planThisWords.from : planThisWords.attached)({ author: by });
  return `${heading}:\n${quote(body.join('\n'))}`;
}

/** To compare texts without markup. */
const bare = (text: string) =>
  text
    .replace(/<[^<>|]*\||&(?:amp|lt|gt);/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();

export type Written = {
  text: string;
  blocks?: unknown;
  attachments?: unknown;
  bot_id?: string | null | undefined;
};

/** Quotes others. A person's `text` repeats the blocks; an app's may be a fallback. */
export function collectText({ text, blocks, attachments, bot_id }: Written): string {
  const shown = readBlocks(blocks);
  const isQuoted = JSON.stringify(blocks ?? null).includes('"rich_text_quote"');
  const isFallback = text.trim() === '' || bot_id != null || (isQuoted && !text.includes('&gt;'));
  const own = !isFallback || shown === '' ? text : shown;
  const lost = isFallback && !bare(own).includes(bare(text)) ? [text] : [];
  const parts = [...lost, own, ...partsOf(attachments).map(readAttachment)].filter(notEmpty);
  return cutMarkup(parts.join('\n'), longestMessage);
}

/** Never inside a mark or escape. */
export function cutMarkup(text: string, atMost: number): string {
  if (text.length <= atMost) return text;
  const cut = text.slice(0, atMost);
  const open = Math.max(cut.lastIndexOf('<'), cut.lastIndexOf('&'));
  const isOpen = open >= 0 && !/[>;]/.test(cut.slice(open)) && atMost - open < 4000;
  return (isOpen ? cut.slice(0, open) : cut).replace(/[\ud800-\udbff]$/u, '');
}

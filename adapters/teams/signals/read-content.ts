// Reads Teams attachments. Pure.
import { Parser } from 'htmlparser2';
import { z } from 'zod';
import { planThisWords as words } from '#cards/plan-this.ts';
import type { AttachedFile } from '#domain/attached-file.ts';
import { parseShallowJson } from '#domain/json.ts';
import { showLine } from '#domain/shown-text.ts';
import { isObject } from '#domain/text.ts';
import { trimBlanks } from '#domain/words.ts';

/** Teams' reply function. */
export type Quote = { author: string; text: string };
export type HtmlText = { text: string; quotes: Quote[] };

const replyType = 'http://schema.skype.com/Reply';
const mentionType = 'http://schema.skype.com/Mention';
const lines = new Set('p div tr table ul ol section blockquote h1 h2 h3 h4 h5 h6 hr'.split(' '));
const deepestQuote = 10;
/** The parser searches all open tags. */
const deepest = 200;
class TooDeep extends Error {}

class Lines {
  private done: string[] = [];
  private line = '';
  depth = 0;

  add(text: string): void {
    this.line += text;
  }

  end(): void {
    const mark = '> '.repeat(Math.min(this.depth, deepestQuote));
    this.done.push(this.line.trim() === '' ? '' : mark + this.line.trim());
    this.line = '';
  }

  endFull(): void {
    if (this.line.trim() !== '') this.end();
  }

  read(): string {
    this.end();
    return trimBlanks(this.done.join('\n').replace(/\n{3,}/g, '\n\n'));
  }
}

/** Without tags. */
function readFlat(html: string): string {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) });
  parser.end(html.replace(/<[^<>]*>/g, ' ').replaceAll('<', '&lt;'));
  return trimBlanks(text.replaceAll('\u00a0', ' '));
}

/** @param mention formats names */
export function readHtml(html: string, mention = (name: string) => name): HtmlText {
  const quotes: Quote[] = [];
  let out = new Lines();
  /** Around a quoted reply. */
  let outer: Lines | null = null;
  let author = '';
  let name: { tag: string; kind: 'mention' | 'author'; text: string } | null = null;
  const tags: { tag: string; isReply: boolean }[] = [];
  let pre = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      const isReply = tag === 'blockquote' && attributes.itemtype === replyType && outer === null;
      if (tags.push({ tag, isReply }) > deepest) throw new TooDeep();
      if (tag === 'at' || attributes.itemtype === mentionType)
        name ??= { tag, kind: 'mention', text: '' };
      else if (outer !== null && attributes.itemprop === 'mri')
        name ??= { tag, kind: 'author', text: '' };
      else if (tag === 'img' || tag === 'emoji') out.add(attributes.alt ?? '');
      else if (tag === 'br') out.end();
      else if (tag === 'li') {
        out.endFull();
        out.add('- ');
      } else if (tag === 'pre') pre += 1;
      if (lines.has(tag) || tag === 'pre') out.endFull();
      if (isReply) {
        outer = out;
        out = new Lines();
        author = '';
      } else if (tag === 'blockquote') out.depth += 1;
    },
    ontext(text) {
      const plain = text.replaceAll('\u00a0', ' ');
      if (name !== null) name.text += plain;
      else if (pre === 0) out.add(plain.replace(/[\r\n]+/g, ' '));
      else
        for (const [index, line] of plain.split(/\r?\n/).entries()) {
          if (index > 0) out.end();
          out.add(line);
        }
    },
    onclosetag(tag) {
      const closed = tags.pop();
      if (name !== null && name.tag === tag) {
        if (name.kind === 'author') author = name.text.trim();
        else out.add(mention(name.text.trim()));
        name = null;
      }
      if (tag === 'td' || tag === 'th') out.add(' ');
      if (tag === 'pre') pre -= 1;
      if (closed?.isReply === true && outer !== null) {
        quotes.push({ author, text: out.read() });
        out = outer;
        outer = null;
      } else if (lines.has(tag) || tag === 'pre') {
        if (tag === 'p') out.end();
        else out.endFull();
        if (tag === 'blockquote') out.depth -= 1;
      }
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { text: readFlat(html), quotes: [] };
  }
  return { text: out.read(), quotes };
}

const label = z.string().nullish().catch(null);
const Attachment = z.object({ contentType: label, content: z.unknown().optional(), name: label });
export const Attachments = z.array(Attachment.nullable().catch(null)).nullish().catch(null);
type Attachment = z.infer<typeof Attachment>;
/** `unread`: an attachment's name. `sealed`: an encrypted address. */
export type Attached =
  | { kind: 'quoted' | 'forwarded' | 'card'; author: string | null; text: string }
  | { kind: 'unread'; what: string }
  | { kind: 'file'; name: string; type: string; sealed: string | null };

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4 */
const downloadType = 'application/vnd.microsoft.teams.file.download.info';
/** Replaces `downloadUrl` in stored activities. */
export const sealedKey = 'sealedUrl';
const cardType = /^application\/vnd\.microsoft\.card\./;

/** Graph sends JSON text, the Bot Framework objects. */
function contentOf({ content }: Attachment): Record<string, unknown> {
  if (isObject(content)) return content;
  try {
    const parsed = typeof content === 'string' ? parseShallowJson(content) : null;
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function readCard(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(readCard);
  if (!isObject(node)) return [];
  if (node.type === 'FactSet' && Array.isArray(node.facts))
    return node.facts
      .filter(isObject)
      .map(({ title, value }) => `${textOf(title)}: ${textOf(value)}`);
  if (node.type === 'RichTextBlock' && Array.isArray(node.inlines))
    return [node.inlines.map((run) => (isObject(run) ? textOf(run.text) : textOf(run))).join('')];
  const own = ['title', 'subtitle', 'text', 'altText'].map((key) => textOf(node[key]));
  const inner = ['sections', 'body', 'items', 'columns', 'rows', 'cells', 'images'];
  return [...own, ...inner.flatMap((key) => readCard(node[key]))].filter((text) => text !== '');
}

function authorOf(sender: unknown): string | null {
  if (!isObject(sender)) return null;
  const named = [sender.user, sender.application].find(isObject);
  return textOf(named?.displayName) || null;
}

function readAttachment(attachment: Attachment): Attached[] {
  const type = attachment.contentType ?? '';
  const content = contentOf(attachment);
  if (type === 'messageReference')
    return [
      {
        kind: 'quoted',
        author: authorOf(content.messageSender),
        text: textOf(content.messagePreview),
      },
    ];
  if (type === 'forwardedMessageReference') {
    const html = textOf(content.originalMessageContent) || textOf(content.messagePreview);
    const author = authorOf(content.originalMessageSender);
    return [{ kind: 'forwarded', author, text: readHtml(html).text }];
  }
  if (cardType.test(type)) {
    const text = readCard(content).join('\n');
    if (text !== '') return [{ kind: 'card', author: null, text }];
  }
  // The message itself in another format.
  if (type.startsWith('text/')) return [];
  const name = attachment.name ?? '';
  if (!cardType.test(type)) {
    const { [sealedKey]: sealed, fileType } = content;
    const isHere = type === downloadType && typeof sealed === 'string';
    return [
      { kind: 'file', name, type: textOf(fileType).slice(0, 100), sealed: isHere ? sealed : null },
    ];
  }
  return [{ kind: 'unread', what: `card ${name}`.trim() }];
}

export function readAttachments(attachments: z.infer<typeof Attachments>): Attached[] {
  return (attachments ?? []).flatMap((one) => (one === null ? [] : readAttachment(one)));
}

export function attachQuote({ author, text }: Quote): Attached {
  return { kind: 'quoted', author: author || null, text };
}

type Listed = Extract<Attached, { kind: 'file' }>;
const listFiles = (attached: Attached[]): Listed[] => attached.filter((one) => one.kind === 'file');

/** Only files in the bot's chat have an ID to fetch by. @param event null for messages above a request */
export const filesIn = (attached: Attached[], event: number | null): AttachedFile[] =>
  listFiles(attached).flatMap(({ name, type, sealed }, at) =>
    name === ''
      ? []
      : [
          {
            id: event === null || sealed === null ? '' : `${event}.${at}`,
            ...{ name: name.slice(0, 300), type, bytes: null },
          },
        ],
  );

export const fileAt = (attached: Attached[], at: number): Listed | null =>
  listFiles(attached)[at] ?? null;

/** Files are listed apart. */
export const isWritten = ({ kind }: Attached) => kind !== 'unread' && kind !== 'file';

/** Microsoft Graph's, with quotes and attachments. */
export function readBody(
  { contentType, content }: { [part in 'contentType' | 'content']?: string | null | undefined },
  attached: Attached[],
): string[] {
  const { text, quotes } =
    contentType === 'html' ? readHtml(content ?? '') : { text: content ?? '', quotes: [] };
  return [text, ...[...quotes.map(attachQuote), ...attached].map(quoteAttached)]
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function quoteAttached(attached: Attached): string {
  if (attached.kind === 'unread') return words.unread(attached);
  if (attached.kind === 'file') return words.unread({ what: `file ${attached.name}`.trim() });
  // A line break could pass the rest off as the sender's text.
  const author = showLine(attached.author ?? words.someone, 100);
  const heading = (attached.kind === 'card' ? words.attached : words.from)({ author });
  return [`${heading}:`, ...attached.text.split('\n').map((line) => `> ${line}`)].join('\n');
}

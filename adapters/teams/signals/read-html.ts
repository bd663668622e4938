// Turns Teams' HTML into text. Pure.
// https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages
import { Parser } from 'htmlparser2';
import { trimBlanks } from '#domain/words.ts';

/** A message quoted with Teams' reply function. */
export type Quote = { author: string; text: string };
export type HtmlText = { text: string; quotes: Quote[] };

const replyType = 'http://schema.skype.com/Reply';
const mentionType = 'http://schema.skype.com/Mention';
const lines = new Set('p div tr table ul ol section blockquote h1 h2 h3 h4 h5 h6 hr'.split(' '));
const deepestQuote = 10;
/** Maximum depth of nested tags; the parser searches all open ones. */
const deepest = 200;
class TooDeep extends Error {}

/** Collects text line by line. */
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

/** The text without tags. */
function readFlat(html: string): string {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) });
  parser.end(html.replace(/<[^<>]*>/g, ' ').replaceAll('<', '&lt;'));
  return trimBlanks(text.replaceAll('\u00a0', ' '));
}

/** @param mention formats a mentioned name */
export function readHtml(html: string, mention = (name: string) => name): HtmlText {
  const quotes: Quote[] = [];
  let out = new Lines();
  /** The text around a quoted reply while reading it. */
  let outer: Lines | null = null;
  let author = '';
  /** A name collected until its tag closes. */
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

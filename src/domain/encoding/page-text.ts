// Reads the text of an HTML page.
import { Parser } from 'htmlparser2';

/** Characters read: the parser searches all open tags. */
const maxRead = 20_000;
const unread = new Set(['script', 'style', 'noscript', 'template']);

/** Unchanged unless it is HTML. The title only if the page has no other text. */
export function readPageText(text: string, type: string | null): string {
  const isPage = /^\s*<(?:!doctype html|html)\b/i.test(text) || /\bhtml\b/i.test(type ?? '');
  if (!isPage) return text.trim();
  let [body, title, hidden, inTitle] = ['', '', 0, false];
  const parser = new Parser({
    onopentag(name) {
      body += ' ';
      if (unread.has(name)) hidden += 1;
      if (name === 'title') inTitle = true;
    },
    ontext(data) {
      if (inTitle) title += data;
      else if (hidden === 0) body += data;
    },
    onclosetag(name) {
      body += ' ';
      if (unread.has(name)) hidden -= 1;
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(text.slice(0, maxRead));
  const clean = (one: string) => one.replace(/\s+/g, ' ').trim();
  return clean(body) || clean(title);
}

// Sends long text as a file, or messages without the scope.
import type { types, webApi } from '@slack/bolt';
import { fileWords } from '#cards/chat-words.ts';
import { platformLimits } from '#cards/limits.ts';
import type { ChatFile } from '#domain/chat/chat.ts';
import { cutText } from '#domain/shown-text.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { Ask } from '../calls/hold.ts';
import { calm, quiet } from './content.ts';
import { metadataOf } from './look-back.ts';

type Target = { team: string; channel: string; thread: string };
/** `there`: keys already in the thread. */
type Known = { key: string; there: ReadonlySet<string> };
type Sender = {
  client: webApi.WebClient;
  ask: Ask;
  warn(message: string, error?: unknown): void;
};

const { pageText, pageSections, pages: maxPages } = platformLimits.slack;

/** At line ends if possible. Pure. */
function splitIntoMessages(text: string): { messages: string[][]; whole: boolean } {
  const sections: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const fits = rest.length <= pageText ? rest : rest.slice(0, pageText);
    const end = fits.length === rest.length ? -1 : fits.lastIndexOf('\n');
    const piece = end > pageText / 2 ? fits.slice(0, end + 1) : cutWhole(fits);
    sections.push(piece);
    rest = rest.slice(piece.length);
  }
  const messages: string[][] = [];
  for (let at = 0; at < sections.length; at += pageSections)
    messages.push(sections.slice(at, at + pageSections));
  return { messages: messages.slice(0, maxPages), whole: messages.length <= maxPages };
}

/** Drops half a surrogate pair. */
function cutWhole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

const sectionOf = (text: string): types.KnownBlock => ({
  type: 'section',
  // Slack refuses blank text.
  text: { type: 'plain_text', text: text.trim() === '' ? '…' : text, emoji: false },
});

async function sendPages(
  { client, ask }: Sender,
  { team, channel, thread }: Target,
  { title, text }: ChatFile,
  { key, there }: Known,
): Promise<void> {
  const { messages, whole } = splitIntoMessages(text);
  const call = { team, method: 'chat.postMessage', channel, action: 'take text' };
  const pages = messages.map((sections, index) => ({
    text: cutText(`${title} (${index + 1} of ${messages.length})`, platformLimits.slack.pageTitle),
    blocks: sections.map(sectionOf),
  }));
  const all = whole ? pages : [...pages, { text: fileWords.restElsewhere, blocks: [] }];
  for (const [index, part] of all.entries()) {
    const own = `${key}:${index + 1}`;
    if (there.has(own)) continue;
    const content = { text: calm(part.text), blocks: part.blocks, metadata: metadataOf(own) };
    await ask(call, () =>
      client.chat.postMessage({ channel, thread_ts: thread, ...content, ...quiet }),
    );
  }
}

/** @throws CountersignError */
export async function sendFile(
  sender: Sender,
  target: Target,
  file: ChatFile,
  known: Known,
): Promise<void> {
  const { client, ask, warn } = sender;
  const { team, channel, thread } = target;
  const call = { team, method: 'files', channel: null, action: 'take a file' };
  try {
    await ask(call, () =>
      client.files.uploadV2({
        channel_id: channel,
        thread_ts: thread,
        filename: file.name,
        title: file.title,
        content: file.text,
      }),
    );
    return;
  } catch (cause) {
    const error = explainSlackError(cause, 'take a file');
    if (error.passesAfterMs !== null) throw error;
    warn(`Sent text as messages because the file upload failed: ${error.message}`, error);
  }
  await sendPages(sender, target, file, known);
}

/** To find an earlier upload. */
export function nameUnder(name: string, key: string): string {
  const dot = name.lastIndexOf('.');
  const at = dot < 0 ? name.length : dot;
  return `${name.slice(0, at)}-${key.slice(0, 8)}${name.slice(at)}`;
}

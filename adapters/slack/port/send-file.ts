// Long text as a file in a thread. Where the app may not write files, the text follows in messages, as far as that is sensible, and
// the operator is told what is missing.

import type { types, webApi } from '@slack/bolt';
import { fileWords } from '#cards/chat-words.ts';
import { cutText } from '#cards/plain.ts';
import type { ChatFile } from '#contracts/chat.ts';
import { explainSlackError } from './explain-error.ts';

type Target = { channel: string; thread: string };

/** Characters of one section, sections of one message, and messages. */
const page = { text: 2900, sections: 4, messages: 10 };

/** The text in messages that Slack takes, cut at the ends of lines where it can be. Pure. */
function splitIntoMessages(text: string): { messages: string[][]; whole: boolean } {
  const sections: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const fits = rest.length <= page.text ? rest : rest.slice(0, page.text);
    const end = fits.length === rest.length ? -1 : fits.lastIndexOf('\n');
    const piece = end > page.text / 2 ? fits.slice(0, end + 1) : cutWhole(fits);
    sections.push(piece);
    rest = rest.slice(piece.length);
  }
  const messages: string[][] = [];
  for (let at = 0; at < sections.length; at += page.sections)
    messages.push(sections.slice(at, at + page.sections));
  return { messages: messages.slice(0, page.messages), whole: messages.length <= page.messages };
}

/** Without half of a character at the end. */
function cutWhole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

const sectionOf = (text: string): types.KnownBlock => ({
  type: 'section',
  // Slack refuses text that is blank.
  text: { type: 'plain_text', text: text.trim() === '' ? '…' : text, emoji: false },
});

async function sendPages(
  client: webApi.WebClient,
  { channel, thread }: Target,
  { title, text }: ChatFile,
): Promise<void> {
  const { messages, whole } = splitIntoMessages(text);
  const said = { channel, thread_ts: thread, parse: 'none', unfurl_links: false } as const;
  for (const [index, sections] of messages.entries()) {
    const name = cutText(`${title} (${index + 1} of ${messages.length})`, 150);
    await client.chat.postMessage({ ...said, text: name, blocks: sections.map(sectionOf) });
  }
  if (whole) return;
  const rest = fileWords.restElsewhere;
  await client.chat.postMessage({ ...said, text: rest });
}

/** @throws CountersignError */
export async function sendFile(
  client: webApi.WebClient,
  target: Target,
  file: ChatFile,
  warn: (message: string, error?: unknown) => void,
): Promise<void> {
  const { channel, thread } = target;
  try {
    await client.files.uploadV2({
      channel_id: channel,
      thread_ts: thread,
      filename: file.name,
      title: file.title,
      content: file.text,
    });
    return;
  } catch (cause) {
    const error = explainSlackError(cause, 'take a file');
    if (error.passesAfterMs !== null) throw error;
    warn(`Text was sent in messages instead of as a file: ${error.message}`, error);
  }
  try {
    await sendPages(client, target, file);
  } catch (error) {
    throw explainSlackError(error, 'take text');
  }
}

/** What a file is called under its message, so that a try that got through is found. */
export function nameUnder(name: string, key: string): string {
  const dot = name.lastIndexOf('.');
  const at = dot < 0 ? name.length : dot;
  return `${name.slice(0, at)}-${key.slice(0, 8)}${name.slice(at)}`;
}

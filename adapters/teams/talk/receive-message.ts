// Handles messages from people: in their chat with the bot, mentioning it, or below a post with a conversation.
import { greetWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { type Addressed, handleMessage, type WrittenMessage } from '#chat/talk.ts';
import { readWord } from '#conversation/read-word.ts';
import { trimBlanks } from '#domain/words.ts';
import { answerCommand, drawNote, readCommand } from '../lists/answer-command.ts';
import { speakerIn } from '../people.ts';
import { nameMessage } from '../port/make-activity.ts';
import type { MessageSignal } from '../signals/read-activity.ts';
import {
  attachQuote,
  filesIn,
  isWritten,
  quoteAttached,
  readHtml,
} from '../signals/read-attachments.ts';
import type { TeamsContext } from '../teams-context.ts';

// Turns a message into text: Teams' mentions and markup become what people read. Pure.

// Each alternative stops at the next mark of its kind, so a text of many openings is read in linear time.
const mention = /<at(?:\s[^<>]*)?>((?:[^<]|<(?!\/?at[\s>])[^<>]*>)*)<\/at>/gi;
/** Replaces a quoted message that the conversation already has. */
const quoted = /<quoted(?:\s[^<>]*)?>(?:<\/quoted>)?/gi;
/** Placeholder for the bot's own name: a private-use character. */
const self = '\ue000';
const entities: Record<string, string> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const decode = (text: string) =>
  text.replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
/** A name between `<at>` and `</at>`, without markup. */
const bareName = (name: string) =>
  decode(name.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();

export function firstMention(text: string): string | null {
  const begins = trimBlanks(text.replace(quoted, ' ').replaceAll('&nbsp;', ' '));
  const [first] = begins.matchAll(mention);
  return first?.index === 0 ? bareName(first[1] ?? '') : null;
}

/** Drops the bot's name at the beginning and end. */
function dropAddress(text: string, name: string): string {
  let rest = trimBlanks(text);
  while (rest.startsWith(self)) rest = trimBlanks(rest.slice(1).replace(/^[\s:,\u200b]+/, ''));
  while (rest.endsWith(self)) rest = trimBlanks(rest.slice(0, -1));
  return rest.replaceAll(self, `@${name}`);
}

type Typed = Pick<MessageSignal, 'text' | 'format' | 'mentions'> &
  Partial<Pick<MessageSignal, 'html' | 'attached'>>;

/**
 * The person's own words, and below them what they quote or forward. A word that decides is returned alone: its quotation is in
 * the conversation already.
 * @param bot whose name is dropped at the beginning and end of the text
 */
export function readPlainText(
  { text, format, mentions, html = '', attached = [] }: Typed,
  bot: string,
): string {
  const own = mentions.filter(({ id }) => id === bot).map(({ text: shown }) => bareName(shown));
  const name = own[0] ?? '';
  const write = (given: string) => (own.includes(given) ? self : `@${given}`);
  const rich = readHtml(html.replaceAll(self, ' '), (given) => write(bareName(given)));
  const isRich = rich.quotes.length > 0 || /<blockquote[\s>]/i.test(html) || text.trim() === '';
  const marked = text
    .replaceAll(self, ' ')
    .replace(quoted, ' ')
    .replace(mention, (_, given: string) => write(bareName(given)));
  const plain =
    format === 'xml'
      ? readHtml(marked).text
      : decode(marked).replaceAll('\u00a0', ' ').replaceAll(/\r\n?/g, '\n');
  const words = dropAddress(isRich && html !== '' ? rich.text : plain, name);
  if (!['talk', 'propose_changes'].includes(readWord(words).kind)) return words;
  const others = [
    ...rich.quotes.filter(({ author }) => !own.includes(author)).map(attachQuote),
    ...attached.filter(isWritten),
  ];
  return [words, ...others.map(quoteAttached)].filter((part) => part !== '').join('\n\n');
}

/** Whether a message is addressed to us, judged by itself; `maybe` if we must be in that conversation. */
export function isAddressed({ scene, text, mentions }: MessageSignal): Addressed {
  if (scene.kind === 'personal') return 'yes';
  if (mentions.some(({ id }) => id === scene.bot)) return 'yes';
  // A chat mixes subjects; replies below a post keep to its own.
  if (scene.kind === 'group') return 'no';
  // A reply that begins with a mention is meant for that person.
  return firstMention(text) === null ? 'maybe' : 'no';
}

/** @param id of its event */
export async function receiveMessage(
  context: TeamsContext,
  signal: MessageSignal,
  { id }: { id: number },
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { people, port } = context;
  const { scene, sentAt: writtenAt } = signal;
  const { place } = scene;
  const addressed = isAddressed(signal);
  // People also talk with each other below a post: pictures and words like commands are then not for us.
  const toUs = addressed === 'yes';
  const written: WrittenMessage = {
    ...{ place, addressed, writtenAt },
    read: () => readPlainText(signal, scene.bot),
    from: async () => speakerIn(scene, await people.find(scene)),
    async answerNothing() {
      if (!toUs) return;
      await port.post(place, drawNote(greetWords.nothingSaid({ help: '“help”' })), `hint:${id}`);
    },
    async answerCommand(text) {
      const command = toUs ? readCommand(text) : null;
      if (command === null) return false;
      const content = await answerCommand(context, command, scene);
      if (command.alone) await port.whisper(place, scene.from.id, content);
      else await port.post(place, content, `command:${id}`);
      return true;
    },
    files: filesIn(signal.attached, id).slice(0, 20),
    once: nameMessage(place, scene.activity ?? id),
  };
  await handleMessage(context, written, attempt);
}

// Handles messages from people.
import { greetWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { type Addressed, handleMessage, type WrittenMessage } from '#chat/talk.ts';
import { readWord } from '#conversation/read-word.ts';
import { trimBlanks } from '#domain/words.ts';
import { answerCommand, drawNote, readCommand } from '../lists/answer-command.ts';
import { speakerIn } from '../people.ts';
import type { MessageSignal } from '../signals/read-activity.ts';
import { nameMessage } from '../signals/read-activity.ts';
import {
  attachQuote,
  filesIn,
  isWritten,
  quoteAttached,
  readHtml,
} from '../signals/read-content.ts';
import type { TeamsContext } from '../teams-context.ts';

// Message markup to text. Pure.

// Stops at the next mark of its kind, for linear time.
const mention = /<at(?:\s[^<>]*)?>((?:[^<]|<(?!\/?at[\s>])[^<>]*>)*)<\/at>/gi;
/** The conversation has it already. */
const quoted = /<quoted(?:\s[^<>]*)?>(?:<\/quoted>)?/gi;
/** Placeholder for the bot's name (private use). */
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
const bareName = (name: string) =>
  decode(name.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();

export function firstMention(text: string): string | null {
  const begins = trimBlanks(text.replace(quoted, ' ').replaceAll('&nbsp;', ' '));
  const [first] = begins.matchAll(mention);
  return first?.index === 0 ? bareName(first[1] ?? '') : null;
}

function dropAddress(text: string, name: string): string {
  let rest = trimBlanks(text);
  while (rest.startsWith(self)) rest = trimBlanks(rest.slice(1).replace(/^[\s:,\u200b]+/, ''));
  while (rest.endsWith(self)) rest = trimBlanks(rest.slice(0, -1));
  return rest.replaceAll(self, `@${name}`);
}

type Typed = Pick<MessageSignal, 'text' | 'format' | 'mentions'> &
  Partial<Pick<MessageSignal, 'html' | 'attached'>>;

/** Own words, then quotes; deciding words come alone. @param bot dropped at either end */
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

/** By the message alone; `maybe` depends on the conversation. */
export function isAddressed({ scene, text, mentions }: MessageSignal): Addressed {
  if (scene.kind === 'personal') return 'yes';
  if (mentions.some(({ id }) => id === scene.bot)) return 'yes';
  // Chats mix subjects; replies below a post don't.
  if (scene.kind === 'group') return 'no';
  // Meant for the mentioned person.
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
  // People also talk among themselves below a post.
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

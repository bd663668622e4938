// What people write: in their chat with the bot, by mentioning it, or below a post where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { type Addressed, hearMessage, type WrittenMessage } from '#chat/talk.ts';
import { readWord } from '#conversation/read-word.ts';
import { trimBlanks } from '#domain/words.ts';
import { answerCommand, drawNote, readCommand } from '../lists/answer-command.ts';
import type { MessageSignal } from '../signals/read-activity.ts';
import { attachQuote, quoteAttached } from '../signals/read-attachments.ts';
import { readHtml } from '../signals/read-html.ts';
import type { TeamsContext } from '../teams-context.ts';
import { speakerIn } from './people.ts';

// What somebody wrote, as text: Teams' mentions and marks become what is read there. Pure.

// Each looks no further than to the next mark of its kind: a text of nothing but beginnings is read in one go all the same.
const mention = /<at(?:\s[^<>]*)?>((?:[^<]|<(?!\/?at[\s>])[^<>]*>)*)<\/at>/gi;
/** Replaces a quoted message that the conversation already has. */
const quoted = /<quoted(?:\s[^<>]*)?>(?:<\/quoted>)?/gi;
/** Stands for the bot's own name: a character that nobody types. */
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
/** A name between `<at>` and `</at>`, which may be marked up. */
const bareName = (name: string) =>
  decode(name.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** The name that the text begins with; null: it begins with none. */
export function firstMention(text: string): string | null {
  const begins = trimBlanks(text.replace(quoted, ' ').replaceAll('&nbsp;', ' '));
  const [first] = begins.matchAll(mention);
  return first?.index === 0 ? bareName(first[1] ?? '') : null;
}

/** Without the bot's name where the text begins or ends with it. */
function dropAddress(text: string, name: string): string {
  let rest = trimBlanks(text);
  while (rest.startsWith(self)) rest = trimBlanks(rest.slice(1).replace(/^[\s:,\u200b]+/, ''));
  while (rest.endsWith(self)) rest = trimBlanks(rest.slice(0, -1));
  return rest.replaceAll(self, `@${name}`);
}

type Typed = Pick<MessageSignal, 'text' | 'format' | 'mentions'> &
  Partial<Pick<MessageSignal, 'html' | 'attached'>>;

/**
 * What the person themselves wrote, and below it what they quote or forward of others. A word that decides is read alone: what is
 * quoted with it is in the conversation already.
 * @param bot whose name is left out at the beginning and the end of the text, where it only addresses it
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
    ...attached.filter(({ kind }) => kind !== 'unread'),
  ];
  return [words, ...others.map(quoteAttached)].filter((part) => part !== '').join('\n\n');
}

/** Whether it was written to us, as far as the message itself tells; `maybe`: if we are in that conversation. */
export function isAddressed({ scene, text, mentions }: MessageSignal): Addressed {
  if (scene.kind === 'personal') return 'yes';
  if (mentions.some(({ id }) => id === scene.bot)) return 'yes';
  // In a chat everybody talks about everything; below a post it is about that.
  if (scene.kind === 'group') return 'no';
  // A reply that begins with somebody's name is meant for them.
  return firstMention(text) === null ? 'maybe' : 'no';
}

/** @param id of its event */
export async function hear(
  context: TeamsContext,
  signal: MessageSignal,
  { id }: { id: number },
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { people, port } = context;
  const { scene, sentAt: writtenAt } = signal;
  const { place } = scene;
  const addressed = isAddressed(signal);
  // People also talk with each other below a post: a picture, or a word that would be a command, is not for us there.
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
    once: `teams:${place.tenant}:${place.channel}:${scene.activity ?? id}`,
  };
  await hearMessage(context, written, attempt);
}

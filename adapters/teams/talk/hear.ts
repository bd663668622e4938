// What people write: in their chat with the bot, by mentioning it, or below a post where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import { answerCommand, drawNote, readCommand } from '../lists/answer-command.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { Mention, MessageSignal } from '../transport/read-activity.ts';

// What somebody wrote, as text: Teams' mentions and marks become what is read there. Pure.

// Each looks no further than to the next `<`: a text of nothing but beginnings is read in one go all the same.
const mention = /<at(?:\s[^<>]*)?>([^<]*)<\/at>/gi;
/** Stands for the bot's own name: a character that nobody types. */
const self = '\ue000';
const nameIn = (text: string) => text.replace(mention, '$1').trim();
const entities: Record<string, string> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The name that the text begins with; null: it begins with none. */
export function firstMention(text: string): string | null {
  const [, name] = /^\s*<at(?:\s[^<>]*)?>([^<]*)<\/at>/i.exec(text) ?? [];
  return name === undefined ? null : name.trim();
}

/** Leaves the bot's name out where the text ends with it. What stands before it is not looked for from each blank anew. */
function dropEnd(text: string): string {
  const end = text.trimEnd();
  if (!end.endsWith(self)) return text;
  const blank = /(?:\s|&nbsp;)$/;
  let rest = end.slice(0, -1);
  for (let last = blank.exec(rest.slice(-6)); last !== null; last = blank.exec(rest.slice(-6)))
    rest = rest.slice(0, -last[0].length);
  return rest;
}

/** @param bot whose name is left out where it begins or ends the text: it is the address on the letter, not the letter */
export function readPlainText(
  { text, format, mentions }: { text: string; format: string; mentions: Mention[] },
  bot: string,
): string {
  const own = mentions.filter(({ id }) => id === bot).map(({ text: shown }) => nameIn(shown));
  const named = text
    .replaceAll(self, ' ')
    .replace(mention, (_, name: string) => (own.includes(name.trim()) ? self : `@${name.trim()}`))
    .replace(/^(?:\s|&nbsp;)*(?:\ue000(?:\s|&nbsp;|[:,])*)+/, '');
  const marked = dropEnd(named).replaceAll(self, `@${own[0] ?? ''}`);
  const bare =
    format === 'xml'
      ? marked
          .replace(/<br\s*\/?>/gi, '\n')
          .replace(/<\/?(?:p|div|span|b|i|u|s|em|strong|code|pre)(?:\s[^<>]*)?>/gi, '')
      : marked;
  return bare
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\r\n?/g, '\n')
    .trim();
}

/** Whether it was written to us, as far as the message itself tells; `maybe`: if we are in that conversation. */
export function isAddressed({ scene, text, mentions }: MessageSignal): 'yes' | 'maybe' | 'no' {
  if (scene.kind === 'personal') return 'yes';
  if (mentions.some(({ id }) => id === scene.bot)) return 'yes';
  // In a chat everybody talks about everything; below a post it is about that.
  if (scene.kind === 'group') return 'no';
  // A reply that begins with somebody's name is meant for them.
  return firstMention(text) === null ? 'maybe' : 'no';
}

/** Hands a message to the conversation of its place. @param id of its event */
export async function hear(
  context: TeamsContext,
  signal: MessageSignal,
  { id }: { id: number },
): Promise<void> {
  const { service, people, port, openConversation } = context;
  const { scene } = signal;
  const { place } = scene;
  const addressed = isAddressed(signal);
  if (addressed === 'no') return;
  if (addressed === 'maybe' && !(await service.isSpokenIn(conversationAt(place)))) return;
  const text = readPlainText(signal, scene.bot);
  // People also talk with each other below a post: a picture, or a word that would be a command, is not for us there.
  const toUs = addressed === 'yes';
  if (text === '') {
    if (!toUs) return;
    await port.post(place, drawNote(greetWords.nothingSaid({ help: '“help”' })), `hint:${id}`);
    return;
  }
  const command = toUs ? readCommand(text) : null;
  if (command !== null) {
    const content = await answerCommand(context, command, scene);
    if (command.alone) await port.whisper(place, scene.from.id, content);
    else await port.post(place, content, `command:${id}`);
    return;
  }
  const who = await people.find(scene);
  const conversation = await openConversation(
    place,
    scene.kind === 'personal' ? who.timezone : null,
  );
  // However often this is tried, the message is heard once.
  const once = `teams:${place.tenant}:${place.channel}:${scene.activity ?? id}`;
  const { sentAt } = signal;
  const written = sentAt === null ? {} : { written_at: sentAt };
  await service.say(conversation, text, person(who.id, 'teams', who.zone), {
    once,
    ...written,
  });
}

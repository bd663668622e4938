// What people write: in their chat with the bot, by mentioning it, or below a post where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import { person } from '#contracts/actor.ts';
import { conversationAt } from '#conversation/delivery/open-conversation.ts';
import { answerCommand, drawNote, readCommand } from '../lists/answer-command.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { MessageSignal } from '../transport/read-activity.ts';
import { firstMention, readPlainText } from './plain-text.ts';

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

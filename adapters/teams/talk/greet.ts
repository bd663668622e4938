// The app was added somewhere, or taken out: a short welcome the first time, and what waited is posted.
import { greetWords } from '#cards/chat-words.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { MovedSignal, Scene } from '../transport/read-activity.ts';

function welcomeIn({ kind }: Scene): string {
  const mention = kind === 'personal' ? null : '@Countersign';
  return greetWords.welcome({ mention, help: '“help”' });
}

export async function greet(
  { conversations }: TeamsContext,
  { kind, scene }: MovedSignal,
  sentAt: Date,
): Promise<void> {
  const { place, team } = scene;
  const area = { tenant: place.tenant, channel: place.channel, team };
  if (kind === 'removed') return conversations.leave(area, sentAt);
  await conversations.comeBack(area, sentAt);
  await conversations.welcome({ ...place, thread: null }, welcomeIn(scene));
}

// The app was added somewhere, or taken out: a short welcome the first time, and what waited is posted.
import type { TeamsContext } from '../teams-context.ts';
import type { MovedSignal, Scene } from '../transport/read-activity.ts';

const example = '“Create notes/standup.md saying Standup at 9:30”';

function welcomeIn({ kind }: Scene): string {
  const how =
    kind === 'personal'
      ? `Tell me what you want done, for example: ${example}.`
      : `Mention me and say what you want done, for example: @Countersign ${example}.`;
  return `I am Countersign. ${how}\nI draft a plan, and nothing runs before somebody approves it. “help” says the rest.`;
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

// Greets people once and suggests prompts.
// https://docs.slack.dev/ai/migrating-to-agent-messaging
import { greetWords } from '#cards/chat-words.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import { agentView } from '../manifest/agent-view.ts';
import { placeOf } from '../signals/name-signal.ts';
import type { OpenedSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';

const maxKept = 5000;

export function createGreet(context: SlackContext): (signal: OpenedSignal) => Promise<void> {
  const { service, port, clientOf, warn } = context;
  /** People with messages, and workspaces without the agent. */
  const begun = createRecent<true>({ keep: maxKept });
  const plain = createRecent<true>({ keep: maxKept });

  /** Suggests prompts if the app is an agent. */
  async function suggest({ team, channel }: OpenedSignal): Promise<void> {
    if (plain.get(team) === true) return;
    const client = await clientOf(team);
    try {
      const [first, ...others] = agentView.suggested_prompts;
      if (first === undefined) return;
      // Only agents may do so without a thread.
      await client.assistant.threads.setSuggestedPrompts({
        channel_id: channel,
        prompts: [first, ...others],
      });
    } catch (cause) {
      const error = explainSlackError(cause, 'suggest how to begin');
      // Missing direct messages say nothing about others'.
      if (error.passesAfterMs !== null || error.code === 'not_found') return;
      plain.set(team, true);
      if (error.details.slack === 'missing_scope') return;
      warn(`Could not show suggestions in ${team}: ${error.message}`, error);
    }
  }

  /** False if unknown. */
  async function isEmpty({ team, channel }: OpenedSignal): Promise<boolean> {
    const client = await clientOf(team);
    const asked = client.conversations.history({ channel, limit: 1 });
    const answer = await asked.catch(() => null);
    return answer?.messages?.length === 0;
  }

  return async (signal) => {
    const { team, user, channel } = signal;
    await suggest(signal);
    const key = `${team}:${user}`;
    const place = placeOf(team, channel, null);
    if (begun.get(key) === true || (await service.isSpokenIn(conversationAt(place)))) return;
    begun.set(key, true);
    if (!(await isEmpty(signal))) return;
    const text = escapeMrkdwn(
      greetWords.welcome({ mention: null, help: '“help”', hasModel: context.hasModel }),
    );
    // The key prevents a second post.
    await port.post(place, { text, card: null }, `welcome:${key}`).catch((error: unknown) => {
      begun.delete(key);
      if (error instanceof CountersignError && error.passesAfterMs !== null) throw error;
      warn('Could not send the welcome message.', error);
    });
  };
}

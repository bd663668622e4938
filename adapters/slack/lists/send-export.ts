// A plan's record for whoever asks for it, as a file in their direct messages.
import { slackLimits } from '#cards/limits.ts';
import { exportWords, writeTrace } from '#cards/plan-record.ts';
import type { Export } from '#contracts/plan-record.ts';
import { readRecord } from '#conversation/read-record.ts';
import { explainSlackError } from '../port/explain-error.ts';
import type { Ask } from '../port/hold.ts';
import { sendFile } from '../port/send-file.ts';
import type { SlackContext } from '../slack-context.ts';

const fits = (text: string) => text.length <= slackLimits.exportText;

/** Somebody waits for it; whatever Slack refuses is tried again with the command. */
const ask: Ask = (_, call) => call();

/** Sends it; `id` is the person behind `user`. @returns what there is to say where it was asked for @throws CountersignError */
export async function sendExport(
  { plansFor, clientOf, warn }: SlackContext,
  { team, user, id }: { team: string; user: string; id: string },
  wanted: Export,
): Promise<string> {
  const { plan } = wanted;
  const record = await readRecord(plansFor(team, id), wanted, { fits, writeTrace });
  if (record === null) return exportWords.tooLarge({ plan });
  const { text, name } = record;
  if (text === '') return exportWords.nothingRun({ plan });
  const title = exportWords.title(wanted);
  const client = await clientOf(team);
  try {
    // Slack says which conversation the direct messages are; the file goes under the message.
    const { channel, ts } = await client.chat.postMessage({
      channel: user,
      text: title,
      parse: 'none',
    });
    if (channel === undefined || ts === undefined) throw new Error('Slack named no message.');
    const sender = { client, ask, warn };
    const target = { team, channel, thread: ts };
    await sendFile(sender, target, { name, title, text }, { key: ts, there: new Set() });
  } catch (error) {
    throw explainSlackError(error, 'send a file');
  }
  return exportWords.sent(wanted);
}

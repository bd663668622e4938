// Files from bot chats; their public addresses are stored encrypted.
// https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4
import { fileWords } from '#cards/chat-words.ts';
import type { PlatformParts } from '#chat/platform.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import type { FetchFile } from '#domain/chat/thread.ts';
import { CountersignError } from '#domain/errors.ts';
import { readActivity, readSignal } from '../signals/read-activity.ts';
import { fileAt, sealedKey } from '../signals/read-content.ts';

type Parts = Pick<PlatformParts, 'sealedFiles'>;

/** Without a key, addresses are dropped. */
export function sealAddresses({ sealedFiles }: Parts, event: ReceivedEvent): ReceivedEvent['body'] {
  const text = Buffer.from(event.body).toString('utf8');
  if (!text.includes('downloadUrl')) return event.body;
  const seal = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('downloadUrl' in value)) return value;
    const { downloadUrl, ...rest } = value;
    const sealed = typeof downloadUrl === 'string' ? sealedFiles.seal(event, downloadUrl) : null;
    return sealed === null ? rest : { ...rest, [sealedKey]: sealed };
  };
  return Buffer.from(JSON.stringify(JSON.parse(text, (_, value: unknown) => seal(value))));
}

const notHere = () => new CountersignError('not_found', fileWords.notAttached);

export function createFetchFile({ sealedFiles }: Parts): FetchFile {
  return async (place, id, signal) => {
    const [, event, at] = /^(\d{1,15})\.(\d{1,3})$/.exec(id) ?? [];
    if (event === undefined || at === undefined) throw notHere();
    const { platform, tenant } = place;
    const thread = { platform, tenant, thread: conversationAt(place) };
    const body = await sealedFiles.readEvent(thread, Number(event));
    const activity = body === null ? null : readActivity(body);
    const parsed = activity === null ? null : readSignal(activity);
    const file = parsed?.kind === 'message' ? fileAt(parsed.attached, Number(at)) : null;
    if (file === null || file.sealed === null) throw notHere();
    const content = await sealedFiles.fetch(thread, file.sealed, signal);
    return { name: file.name, type: file.type, content };
  };
}

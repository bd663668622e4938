// Fetches attached files; needs the scope files:read.
import { z } from 'zod';
import { fileWords } from '#cards/chat-words.ts';
import { maxAttached } from '#domain/attached-file.ts';
import { readBody } from '#domain/bounded-body.ts';
import type { FetchFile } from '#domain/chat/thread.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Ask } from '../calls/hold.ts';
import type { ClientOf } from '../workspaces.ts';

const ids = z.array(z.string()).catch([]);
const File = z.object({
  name: z.string().nullish().catch(null),
  filetype: z.string().nullish().catch(null),
  size: z.number().catch(0),
  /** Missing for files kept elsewhere. */
  url_private_download: z.url().nullish().catch(null),
  channels: ids,
  groups: ids,
  ims: ids,
});

/** The token goes to Slack alone. */
function isSlack(url: URL, apiUrl: string | undefined): boolean {
  if (apiUrl !== undefined && new URL(apiUrl).origin === url.origin) return true;
  return url.protocol === 'https:' && /(?:^|\.)slack\.com$/.test(url.hostname);
}

const notHere = () => new CountersignError('not_found', fileWords.notAttached);
const notFetched = (cause?: unknown) =>
  new CountersignError('tool_unavailable', fileWords.notFetched, { cause, passesAfterMs: 0 });

export function createFetchFile({
  clientOf,
  ask,
  apiUrl,
}: {
  clientOf: ClientOf;
  ask: Ask;
  apiUrl: string | undefined;
}): FetchFile {
  return async ({ tenant: team, channel }, id, signal) => {
    const client = await clientOf(team, signal);
    const call = { team, method: 'files.info', channel: null, action: 'describe a file' };
    const answer = await ask(call, () => client.files.info({ file: id }));
    const file = File.parse(answer.file ?? {});
    if (![...file.channels, ...file.groups, ...file.ims].includes(channel)) throw notHere();
    if (file.size > maxAttached)
      throw new CountersignError('limit_exceeded', fileWords.tooLarge({ atMost: maxAttached }));
    const address = file.url_private_download;
    if (address == null) throw new CountersignError('not_found', fileWords.keptElsewhere);
    const url = new URL(address);
    if (!isSlack(url, apiUrl)) throw notHere();
    const init = { headers: { authorization: `Bearer ${client.token ?? ''}` }, signal };
    const { ok, bytes, isCut } = await fetch(url, { ...init, redirect: 'error' })
      .then(async ({ ok, body }) => ({ ok, ...(await readBody(body, maxAttached)) }))
      .catch((error: unknown) => {
        throw notFetched(error);
      });
    if (!ok || isCut) throw notFetched();
    return { name: file.name ?? id, type: file.filetype ?? '', content: bytes };
  };
}

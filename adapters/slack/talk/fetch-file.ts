// Fetches attached files; needs the scope files:read.
import { z } from 'zod';
import { fileWords } from '#cards/chat-words.ts';
import { maxAttached } from '#domain/attached-file.ts';
import { readBody } from '#domain/bounded-body.ts';
import type { FetchFile } from '#domain/chat/thread.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Ask } from '../calls/hold.ts';
import type { ClientOf } from '../workspaces.ts';

const ids = z.array(z.string()).default([]);
const File = z.object({
  name: z.string().nullish(),
  filetype: z.string().nullish(),
  size: z.number().default(0),
  url_private_download: z.url().optional(),
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
    const file = File.parse(answer.file);
    if (![...file.channels, ...file.groups, ...file.ims].includes(channel)) throw notHere();
    if (file.size > maxAttached)
      throw new CountersignError('limit_exceeded', fileWords.tooLarge({ atMost: maxAttached }));
    const url = new URL(file.url_private_download ?? '');
    if (!isSlack(url, apiUrl)) throw notHere();
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${client.token ?? ''}` },
      redirect: 'error',
      signal,
    });
    const { bytes, isCut } = await readBody(response.body, maxAttached);
    if (!response.ok || isCut)
      throw new CountersignError('tool_unavailable', fileWords.notFetched, { passesAfterMs: 0 });
    return { name: file.name ?? id, type: file.filetype ?? '', content: bytes };
  };
}

// Attached files, fetched from chat platforms for planners.
import { findPlace } from '#db/chat/places.ts';
import { readRun } from '#db/planning/runs.ts';
import type { FetchedFile } from '#domain/chat/thread.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';
import type { AttachedFiles } from '#planner/ports.ts';
import type { ReadDocument } from '#tools/documents/read-document.ts';

/** @throws CountersignError `not_found` if it isn't attached there */
export async function fetchAttached(
  { db, files }: Pick<ConversationContext, 'db' | 'files'>,
  conversation: string | null,
  id: string,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const place = conversation === null ? null : await findPlace(db.query, conversation);
  const fetchFile = place === null ? undefined : files?.()[place.platform];
  if (place === null || fetchFile === undefined)
    throw new CountersignError('not_found', 'No files are attached in this conversation.');
  return fetchFile(place, id, signal);
}

/** @param contextOf the conversations, created after the planner */
export function createAttachedFiles(
  contextOf: () => ConversationContext,
  readDocument: ReadDocument,
): AttachedFiles {
  return {
    async read(runId, id, signal) {
      const context = contextOf();
      const { conversation } = await readRun(context.db.query, runId);
      const file = await fetchAttached(context, conversation, id, signal);
      return { name: file.name, ...(await readDocument(file, signal)) };
    },
  };
}

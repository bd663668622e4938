// Exports as streams: the first chunk is fetched before the headers, so that an error is still a problem and not half a file.
import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';

async function* join(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
}

/**
 * A byte stream of `chunks`, read only as fast as the client takes it.
 * @throws what the first chunk throws
 */
export async function streamText(
  chunks: AsyncIterable<string>,
  log: FastifyBaseLogger,
): Promise<Readable> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const stream = Readable.from(join(first, iterator), { objectMode: false });
  // Also where the client left before it read anything: the source must let go of what it holds.
  stream.once('close', () => {
    iterator
      .return?.()
      .catch((error: unknown) => log.error({ err: error }, 'an export did not end'));
  });
  return stream;
}

/** Every chunk as a line of its own. */
export async function* toLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.endsWith('\n') ? chunk : `${chunk}\n`;
}

/** `attachment; filename="PLAN-3f9a1c20.md"`, whatever the id contains. */
export function attachment(id: string, ending: string): string {
  return `attachment; filename="${id.replace(/[^\w-]/g, '_')}${ending}"`;
}

// The bodies of a server behind an address, bounded as the lines of a program are: one message of `longestMessage` bytes. The request
// that a longer one answers fails at once, and the stream it came on is read on.
import { longestReason, readBody, withBody } from '#domain/bounded-body.ts';
import { isObject, parseJson } from '#domain/text.ts';
import { ends, findId, longestMessage, toTooLong } from './read-lines.ts';

type Fetch = typeof fetch;

/** A fetch whose answers never take more memory than one message. */
export function boundBodies(inner: Fetch): Fetch {
  return async (address, init) => {
    const response = await inner(address, init);
    const { body, headers } = response;
    if (body === null) return response;
    const id = findRequest(init?.body);
    const isStream =
      response.ok && headers.get('content-type')?.includes('text/event-stream') === true;
    const bounded = isStream
      ? body.pipeThrough(boundEvents(id))
      : await readWhole(body, response.ok ? longestMessage : longestReason, id);
    return withBody(response, bounded);
  };
}

/** The number of the request in `body`; null: it is none. */
function findRequest(body: unknown): number | null {
  const message = typeof body === 'string' ? parseJson(body) : null;
  return isObject(message) && typeof message.id === 'number' && 'method' in message
    ? message.id
    : null;
}

/** The whole body; one that is too long is cut, or an answer takes its place that says so. */
async function readWhole(body: ReadableStream<Uint8Array>, limit: number, id: number | null) {
  const { bytes, isCut } = await readBody(body, limit);
  return isCut && limit === longestMessage && id !== null ? JSON.stringify(toTooLong(id)) : bytes;
}

const [newline, carriageReturn] = [0x0a, 0x0d];

/** Passes server-sent events on; one that is too long is broken off, and an answer of ours follows. */
function boundEvents(id: number | null): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  let isSkipping = false;
  let head = '';
  let tail = '';
  const begin = () => {
    size = 0;
    isSkipping = false;
    head = '';
    tail = '';
  };
  const answer = () => {
    const known = id ?? findId(head) ?? findId(tail);
    return Buffer.from(known === null ? '' : `data: ${JSON.stringify(toTooLong(known))}\n\n`);
  };

  /** The end of the event within `chunk`, as the index behind it; -1: it goes on. */
  function findEnd(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      if (chunk[at] === carriageReturn) continue;
      if (chunk[at] !== newline) isLineEmpty = false;
      else if (isLineEmpty) return at + 1;
      else isLineEmpty = true;
    }
    return -1;
  }

  return new TransformStream({
    transform(chunk, controller) {
      for (let from = 0; from < chunk.length; ) {
        const end = findEnd(chunk, from);
        const part = chunk.subarray(from, end === -1 ? chunk.length : end);
        from += part.length;
        size += part.length;
        if (head.length < ends) head += text(part.subarray(0, ends - head.length));
        tail = (tail + text(part.subarray(-ends))).slice(-ends);
        if (!isSkipping && size <= longestMessage) controller.enqueue(part);
        else if (!isSkipping) {
          isSkipping = true;
          // What was passed on is no message.
          controller.enqueue(Buffer.from('\n\n'));
          if (id !== null) {
            // Nothing else is waited for on the stream of one request.
            controller.enqueue(answer());
            return controller.terminate();
          }
        }
        if (end === -1) return;
        if (isSkipping) controller.enqueue(answer());
        begin();
      }
    },
    flush(controller) {
      if (isSkipping) controller.enqueue(answer());
    },
  });
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

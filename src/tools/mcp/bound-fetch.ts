// Limits HTTP bodies of MCP servers to one message of `longestMessage` bytes.
import { longestReason, readBody, withBody } from '#domain/bounded-body.ts';
import { isObject, parseJson } from '#domain/text.ts';
import { longestMessage, MessageEnds, toTooLong } from './read-lines.ts';

type Fetch = typeof fetch;

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

function findRequest(body: unknown): number | null {
  const message = typeof body === 'string' ? parseJson(body) : null;
  return isObject(message) && typeof message.id === 'number' && 'method' in message
    ? message.id
    : null;
}

async function readWhole(body: ReadableStream<Uint8Array>, limit: number, id: number | null) {
  const { bytes, isCut } = await readBody(body, limit);
  return isCut && limit === longestMessage && id !== null ? JSON.stringify(toTooLong(id)) : bytes;
}

const [newline, carriageReturn] = [0x0a, 0x0d];

function boundEvents(id: number | null): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  let isSkipping = false;
  let seen = new MessageEnds();
  const begin = () => {
    size = 0;
    isSkipping = false;
    seen = new MessageEnds();
  };
  const answer = () => {
    const known = id ?? seen.findId();
    return Buffer.from(known === null ? '' : `data: ${JSON.stringify(toTooLong(known))}\n\n`);
  };

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
        seen.add(part);
        if (!isSkipping && size <= longestMessage) controller.enqueue(part);
        else if (!isSkipping) {
          isSkipping = true;
          // Terminates the partial event, which isn't a message.
          controller.enqueue(Buffer.from('\n\n'));
          if (id !== null) {
            // A request's own stream carries nothing else.
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

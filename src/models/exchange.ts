// Sends a request to a model server and reads its reply.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { parseShallowJson } from '#domain/json.ts';
import type { ChatRequest, JsonBody, Wire } from './chat.ts';
import { findError, type ModelClient } from './client.ts';

/** Bytes, with framing; `piece`: parsed at once. */
const longestReply = { stream: 64 * 1024 * 1024, piece: 8 * 1024 * 1024 };

/** Broke before it was complete. */
export class LostReply extends Error {
  /** Received, and billed. */
  readonly written: string;

  constructor(written: string, cause?: unknown) {
    super('the connection ended before the answer was whole', { cause });
    this.written = written;
  }
}

/** Transient. */
export class FailedReply extends Error {}

type Exchange = {
  wire: Wire;
  body: JsonBody;
  signal: AbortSignal;
  timeout: number;
  onActivity(): void;
  onProgress: ChatRequest['onProgress'];
};

/** As if unstreamed. @throws APIError; SyntaxError if not JSON; LostReply */
export async function exchange(
  client: ModelClient,
  { wire, body, signal, timeout, onActivity, onProgress }: Exchange,
): Promise<unknown> {
  const response = await client.post(wire.path, { body, signal, timeout }).asResponse();
  onActivity();
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null) return undefined;
  const isStream = type.includes('text/event-stream');
  const limit = isStream ? longestReply.stream : longestReply.piece;
  let pieces = decode(watchBytes(response.body, onActivity), limit);
  if (!isStream) {
    const text = await readText(pieces);
    const begins = text.trimStart();
    if (!/^(?:data|event|id|retry)?:/.test(begins.slice(0, 10)))
      return type.includes('json') || begins.startsWith('{') ? parse(text) : text;
    // A proxy changed the type.
    pieces = oneBy([text]);
  }
  const assembly = wire.assemble(onProgress);
  let ended = false;
  try {
    for await (const event of readEvents(pieces)) {
      ended = event.data.trim() === '[DONE]' || assembly.take(readEvent(event));
      if (ended) break;
    }
  } catch (error) {
    const reply = assembly.finish(false);
    if (reply === null) throw new LostReply(assembly.written(), error);
    return reply;
  }
  const reply = assembly.finish(ended);
  if (reply === null) throw new LostReply(assembly.written());
  return reply;
}

/** @throws SyntaxError also if nested too deeply */
function parse(text: string): unknown {
  try {
    return text === '' ? '' : parseShallowJson(text);
  } catch (error) {
    throw error instanceof SyntaxError ? error : new SyntaxError('too deep', { cause: error });
  }
}

/** An event named `error` is an error. */
function readEvent({ event, data }: EventSourceMessage): unknown {
  if (event !== 'error') return parse(data);
  let error: unknown = { message: data };
  try {
    error = findError(JSON.parse(data)) ?? error;
  } catch {
    // Plain text is the reason.
  }
  return { type: 'error', error };
}

async function* watchBytes(
  body: AsyncIterable<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    onActivity();
    yield bytes;
  }
}

async function* oneBy<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const tooLong = () => new LostReply('', new Error('the reply is too long'));

/** Never splits characters. @throws LostReply if too long */
async function* decode(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > limit) throw tooLong();
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}

async function readText(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  try {
    for await (const piece of pieces) text += piece;
  } catch (error) {
    throw new LostReply(text, error);
  }
  return text;
}

/** The final event may lack its blank line. */
async function* readEvents(pieces: AsyncIterable<string>): AsyncGenerator<EventSourceMessage> {
  const found: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => found.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw tooLong();
    },
    maxBufferSize: longestReply.piece,
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    yield* found.splice(0);
  }
  parser.feed('\n\n');
  yield* found.splice(0);
}

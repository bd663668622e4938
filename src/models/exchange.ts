// One request to a model server and its reply, which may come as server-sent events or in one piece: what streams is put together
// to what would have come in one piece.
import { createParser } from 'eventsource-parser';
import type OpenAI from 'openai';
import type { ChatRequest, JsonBody, Wire } from './chat.ts';

/** The connection broke, or the stream ended or made no sense, before the reply was whole. */
export class LostReply extends Error {
  /** What the model had written by then, which it is paid for. */
  readonly written: string;

  constructor(written: string, cause?: unknown) {
    super('the connection ended before the answer was whole', { cause });
    this.written = written;
  }
}

/** The server itself says that it failed, for a reason that passes. */
export class FailedReply extends Error {}

type Exchange = {
  wire: Wire;
  body: JsonBody;
  signal: AbortSignal;
  /** Milliseconds until the server begins to answer. */
  timeout: number;
  /** Something has come. */
  onActivity(): void;
  onProgress: ChatRequest['onProgress'];
};

/**
 * The reply as the API sends it in one piece.
 * @throws APIError; SyntaxError: no JSON; LostReply
 */
export async function exchange(
  client: OpenAI,
  { wire, body, signal, timeout, onActivity, onProgress }: Exchange,
): Promise<unknown> {
  const response = await client.post(wire.path, { body, signal, timeout }).asResponse();
  onActivity();
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null) return undefined;
  const bytes = watchBytes(response.body, onActivity);
  if (!type.includes('text/event-stream')) {
    const text = await readText(bytes);
    return type.includes('json') && text !== '' ? JSON.parse(text) : text;
  }
  const assembly = wire.assemble(onProgress);
  let ended = false;
  try {
    for await (const data of readEvents(bytes)) {
      ended = data === '[DONE]' || assembly.take(JSON.parse(data));
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

async function* watchBytes(
  body: AsyncIterable<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    onActivity();
    yield bytes;
  }
}

async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of bytes) text += decoder.decode(piece, { stream: true });
  } catch (error) {
    throw new LostReply(text, error);
  }
  return text + decoder.decode();
}

/** The data of each event; the last one may lack the blank line at its end. */
async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => found.push(data) });
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* found.splice(0);
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* found.splice(0);
}

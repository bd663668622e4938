// Reads an MCP program's messages, one per line, limited in length.
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { isObject } from '#domain/text.ts';
import { describeBytes } from '#domain/words.ts';

/** Bytes. */
export const longestMessage = 4_000_000;
/** Characters at either end of an overlong message, searched for its ID. */
const endLength = 1000;
/** Our own code: the server has acted, with unknown outcome. */
export const tooLongCode = -32_099;

const newline = 0x0a;

export class LineReader {
  #parts: Buffer[] = [];
  #size = 0;
  #skipped: MessageEnds | null = null;
  readonly #messages: JSONRPCMessage[] = [];

  append(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.#take(chunk.subarray(from, at));
      this.#end();
      from = at + 1;
    }
    this.#take(chunk.subarray(from));
  }

  readMessage(): JSONRPCMessage | null {
    return this.#messages.shift() ?? null;
  }

  clear(): void {
    this.#clearLine();
    this.#messages.length = 0;
  }

  #take(part: Buffer): void {
    if (this.#skipped !== null) {
      this.#skipped.add(part);
      return;
    }
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size <= longestMessage) return;
    this.#skipped = new MessageEnds();
    this.#skipped.add(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#size = 0;
  }

  #end(): void {
    const skipped = this.#skipped;
    const line = Buffer.concat(this.#parts);
    this.#clearLine();
    if (skipped !== null) {
      const id = skipped.findId();
      if (id !== null) this.#messages.push(toTooLong(id));
      return;
    }
    for (const message of readLine(line)) this.#messages.push(message);
  }

  #clearLine(): void {
    this.#parts = [];
    this.#size = 0;
    this.#skipped = null;
  }
}

export class MessageEnds {
  #head = '';
  #tail = '';

  add(part: Uint8Array): void {
    const [first, last] = [
      part.subarray(0, endLength - this.#head.length),
      part.subarray(-endLength),
    ];
    this.#head += Buffer.from(first).toString('latin1');
    this.#tail = (this.#tail + Buffer.from(last).toString('latin1')).slice(-endLength);
  }

  findId(): number | null {
    return findId(this.#head) ?? findId(this.#tail);
  }
}

function findId(text: string): number | null {
  const id = /"id"\s{0,9}:\s{0,9}(\d{1,15})\s{0,9}[,}]/.exec(text)?.[1];
  return id === undefined ? null : Number(id);
}

export function toTooLong(id: number): JSONRPCMessage {
  const message = `its answer is larger than ${describeBytes(longestMessage)}: ask for less at once`;
  return { jsonrpc: '2.0', id, error: { code: tooLongCode, message } };
}

function readLine(line: Buffer): JSONRPCMessage[] {
  // Programs also log here.
  const text = line.toString('utf8').trim();
  const isWhole = text.startsWith('{')
    ? text.endsWith('}')
    : text.startsWith('[') && text.endsWith(']');
  if (!isWhole) return [];
  try {
    const json: unknown = JSON.parse(text);
    return (Array.isArray(json) ? json : [json]).flatMap(readMessage);
  } catch {
    return [];
  }
}

function readMessage(json: unknown): JSONRPCMessage[] {
  // A full validation error would be slow.
  if (!isObject(json) || json.jsonrpc !== '2.0') return [];
  try {
    return [parseJSONRPCMessage(json)];
  } catch {
    return [];
  }
}

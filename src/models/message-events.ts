// Assembles a streamed Anthropic message.
import { z } from 'zod';
import { parseShallowJson } from '#domain/json.ts';
import { JsonObject } from '#domain/text.ts';
import { watchArguments } from './arguments-watch.ts';
import type { Assembly, ChatRequest } from './chat.ts';
import { findError, isFailure } from './client.ts';

const StreamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: JsonObject }),
  z.object({ type: z.literal('content_block_start'), index: z.int(), content_block: JsonObject }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.int(),
    delta: z.union([
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
      z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.object({ type: z.literal('signature_delta'), signature: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: JsonObject,
    usage: JsonObject.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);

type Block = { known: JsonObject; input: string; watch: ReturnType<typeof watchArguments> };

export function assembleMessage(onProgress: ChatRequest['onProgress']): Assembly {
  const blocks = new Map<number, Block>();
  let message: JsonObject | null = null;
  let usage: JsonObject = {};
  let failure: object | null = null;
  let written = '';

  function grow(block: Block, key: 'text' | 'thinking' | 'signature', piece: string): void {
    block.known[key] = `${block.known[key] ?? ''}${piece}`;
    if (key !== 'signature') written += piece;
  }

  function takeInput(block: Block, piece: string): void {
    block.input += piece;
    written += piece;
    block.watch.take(piece);
    const calls = [...blocks.values()].filter(({ known }) => known.type === 'tool_use');
    onProgress?.(
      calls.map(({ known, watch }) => ({ name: String(known.name), items: watch.items() })),
    );
  }

  return {
    take(given) {
      if (isFailure(given)) {
        failure = findError(given);
        return true;
      }
      const event = StreamEvent.safeParse(given).data;
      if (event === undefined) return false;
      switch (event.type) {
        case 'message_start':
          message = event.message;
          usage = JsonObject.safeParse(message.usage).data ?? {};
          return false;
        case 'content_block_start':
          blocks.set(event.index, {
            known: event.content_block,
            input: '',
            watch: watchArguments(),
          });
          return false;
        case 'content_block_delta': {
          const { delta } = event;
          const block = blocks.get(event.index);
          if (block === undefined) return false;
          if (delta.type === 'text_delta') grow(block, 'text', delta.text);
          else if (delta.type === 'thinking_delta') grow(block, 'thinking', delta.thinking);
          else if (delta.type === 'signature_delta') grow(block, 'signature', delta.signature);
          else takeInput(block, delta.partial_json);
          return false;
        }
        case 'message_delta': {
          // Missing counts are as at the beginning.
          const counts = Object.entries(event.usage ?? {}).filter(([, count]) => count !== null);
          usage = { ...usage, ...Object.fromEntries(counts) };
          message = { ...message, ...event.delta };
          return false;
        }
        case 'message_stop':
          return true;
        default:
          return event satisfies never;
      }
    },
    finish() {
      if (failure !== null) return { error: failure };
      if (message === null || typeof message.stop_reason !== 'string') return null;
      const content = [...blocks.values()].map(({ known, input }) =>
        known.type === 'tool_use' && input !== '' ? { ...known, input: readInput(input) } : known,
      );
      return { ...message, content, usage };
    },
    written: () => written,
  };
}

/** Cut-off input stays text. */
function readInput(text: string): unknown {
  try {
    return parseShallowJson(text);
  } catch {
    return text;
  }
}

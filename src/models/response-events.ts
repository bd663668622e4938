// Assembles a streamed response.
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';
import { watchArguments } from './arguments-watch.ts';
import type { Assembly, ChatRequest } from './chat.ts';
import { findError } from './client.ts';

const place = { output_index: z.int() };
const StreamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response.output_item.added'), ...place, item: JsonObject }),
  z.object({ type: z.literal('response.output_item.done'), ...place, item: JsonObject }),
  z.object({
    type: z.enum([
      'response.function_call_arguments.delta',
      'response.output_text.delta',
      'response.reasoning_text.delta',
      'response.reasoning_summary_text.delta',
    ]),
    ...place,
    delta: z.string(),
  }),
  z.object({
    type: z.enum(['response.completed', 'response.incomplete', 'response.failed']),
    response: JsonObject,
  }),
  z.looseObject({ type: z.literal('error') }),
]);

export function assembleEvents(onProgress: ChatRequest['onProgress']): Assembly {
  const calls = new Map<number, { name: string; watch: ReturnType<typeof watchArguments> }>();
  /** Some servers repeat an index. */
  const items = new Map<string, JsonObject>();
  let written = '';
  let response: JsonObject | null = null;

  return {
    take(given) {
      const event = StreamEvent.safeParse(given).data;
      if (event === undefined) return false;
      switch (event.type) {
        case 'response.output_item.added':
          if (event.item.type === 'function_call')
            calls.set(event.output_index, {
              name: String(event.item.name),
              watch: watchArguments(),
            });
          return false;
        case 'response.output_item.done':
          items.set(`${event.output_index} ${String(event.item.id)}`, event.item);
          return false;
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          response = event.response;
          return true;
        case 'error': {
          const error = JsonObject.safeParse(findError(event)).data ?? null;
          response = { object: 'response', status: 'failed', error, output: [] };
          return true;
        }
        default: {
          written += event.delta;
          const call = calls.get(event.output_index);
          if (call === undefined) return false;
          call.watch.take(event.delta);
          onProgress?.(
            [...calls.values()].map(({ name, watch }) => ({ name, items: watch.items() })),
          );
          return false;
        }
      }
    },
    finish() {
      if (response === null) return null;
      // Some servers omit it here.
      const isBare = !Array.isArray(response.output) || response.output.length === 0;
      return isBare ? { ...response, output: [...items.values()] } : response;
    },
    written: () => written,
  };
}

// Recorded replies behind an HTTP server as strict as OpenAI's.
import type { ChatModel } from '#models/chat.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/client.ts';
import { estimateTokens } from '#models/tokens.ts';
import { type ChatBody, start, type Turn } from '#tests/fixtures/openai-double.ts';
import { normalise, type Replay, type Reply } from './recordings.ts';

export type RecordedModels = {
  open(id: string, replay: Replay, missed: (body: ChatBody, why: string) => void): ChatModel;
  close(): Promise<void>;
};

type Conversation = { replay: Replay; missed(body: ChatBody, why: string): void; sent: string[] };

export async function openRecordedModels(): Promise<RecordedModels> {
  const conversations = new Map<string, Conversation>();
  const server = await start({
    script(body) {
      const one = conversations.get(body.model);
      if (one === undefined) return { status: 404, message: `There is no case ${body.model}.` };
      one.sent = readBody(body);
      const found = one.replay.find(normalise(body.messages));
      if (!('missing' in found)) return toTurn(found);
      one.missed(body, found.missing);
      return { status: 400, message: 'No reply is recorded for this request.' };
    },
  });
  const client = createModelClient({ baseUrl: server.url });
  return {
    open(id, replay, missed) {
      const conversation: Conversation = { replay, missed, sent: [] };
      conversations.set(id, conversation);
      const prices = { [id]: { input: 0, output: 0 } };
      const model = createChatModel({ client, api: 'chat', name: id, prices });
      return {
        ...model,
        // The server of the recordings counts no tokens.
        async complete(request, signal) {
          const reply = await model.complete(request, signal);
          const written = reply.content + JSON.stringify(reply.toolCalls);
          const usage = {
            input_tokens: await countTokens(conversation.sent),
            output_tokens: await estimateTokens(written),
          };
          return { ...reply, usage };
        },
      };
    },
    close: server.close,
  };
}

function readBody({ messages, tools = [] }: ChatBody): string[] {
  const contents = messages.map((message) =>
    message.role === 'assistant' && message.tool_calls !== undefined
      ? JSON.stringify(message.tool_calls.map((call) => call.function))
      : (message.content ?? ''),
  );
  return [...contents, ...tools.map((tool) => JSON.stringify(tool.function))];
}

/** Requests share most of their text. */
const counted = new Map<string, Promise<number>>();

async function countTokens(parts: string[]): Promise<number> {
  const counts = parts.map((part) => {
    const known = counted.get(part) ?? estimateTokens(part);
    counted.set(part, known);
    return known;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

function toTurn({ calls, says = '' }: Reply): Turn {
  if (calls === undefined) return { words: says };
  return {
    calls: calls.flatMap((call) => Object.entries(call).map(([name, args]) => ({ name, args }))),
  };
}

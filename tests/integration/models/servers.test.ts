// Popular model servers' quirks, as reported by their users.
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatReply, ChatRequest } from '#models/chat.ts';
import { createChatModel, type ModelOptions } from '#models/chat-model.ts';
import { checkModels } from '#models/check-models.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { clientOf } from '../../fixtures/model-client.ts';
import { ask, readTool, serveModel } from '../../fixtures/model-requests.ts';
import { startServer } from '../../fixtures/model-servers.ts';
import { start } from '../../fixtures/openai-double.ts';

type Body = Record<string, unknown> & { messages?: Record<string, unknown>[] };
type Answer = { status?: number; json: unknown };
const closers: (() => Promise<void>)[] = [];
const never = new AbortController().signal;
const free = { '*': { input: 0, output: 0 } };

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(routes: Record<string, (body: Body, index: number) => Answer>) {
  const seen: Body[] = [];
  const { url, close } = await serveModel<Body>((response, body, path, method) => {
    if (method === 'POST') seen.push(body);
    const { status = 200, json } = routes[path]?.(body, seen.length - 1) ?? {
      status: 404,
      json: {},
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof json === 'string' ? json : JSON.stringify(json));
  });
  closers.push(close);
  return { url, seen };
}

function open(url: string, more: Partial<ModelOptions> = {}) {
  return createChatModel({
    client: clientOf(url, more.api),
    api: 'chat',
    name: 'some-model',
    prices: free,
    ...more,
  });
}

function replyOf(message: object, more: object = {}): Answer {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' };
  return { json: { choices: [{ ...choice, ...more }] } };
}

const called = { name: 'workspace_read', arguments: '{"path":"a.md"}' };

describe('a parameter that a server refuses', () => {
  it('is left out, and not sent again: Mistral takes max_tokens only', async () => {
    const mistral = await serve({
      '/chat/completions': (body) =>
        'max_completion_tokens' in body
          ? {
              status: 422,
              json: {
                object: 'error',
                message: {
                  detail: [
                    {
                      type: 'extra_forbidden',
                      loc: ['body', 'max_completion_tokens'],
                      msg: 'Extra inputs are not permitted',
                    },
                  ],
                },
                type: 'invalid_request_error',
              },
            }
          : replyOf({ content: '', tool_calls: [{ id: 'D681PevKs', function: called }] }),
    });
    const model = open(mistral.url);
    expect((await model.complete(ask({ maxOutputTokens: 50 }), never)).toolCalls).toEqual([
      { id: 'D681PevKs', ...called },
    ]);
    await model.complete(ask({ maxOutputTokens: 50 }), never);
    expect(mistral.seen.map((body) => body.max_tokens)).toEqual([undefined, 50, 50]);
  });

  it('may be several: a tool that must be called, effort', async () => {
    const old = await serve({
      '/chat/completions': (body) => {
        const text = JSON.stringify(body);
        const wrong = ['reasoning_effort', 'tool_choice'].find((name) =>
          text.includes(`"${name}"`),
        );
        return wrong === undefined
          ? replyOf({ content: 'hi' })
          : { status: 400, json: { error: { message: `Unknown field '${wrong}'.`, param: null } } };
      },
    });
    const model = open(old.url, { effort: 'low' });
    expect((await model.complete(ask({ mustCall: readTool.name }), never)).content).toBe('hi');
    expect(old.seen).toHaveLength(3);
    await model.complete(ask({ mustCall: readTool.name }), never);
    expect(old.seen).toHaveLength(4);
  });

  it('may be what only OpenAI has of the Responses API', async () => {
    const own = await serve({
      '/responses': (body) => {
        const text = JSON.stringify(body);
        const wrong = ['strict', 'include', 'stream'].find((name) => text.includes(`"${name}":`));
        return wrong === undefined
          ? {
              json: {
                object: 'response',
                status: 'completed',
                output: [{ type: 'function_call', call_id: 'c', ...called }],
              },
            }
          : { status: 400, json: { error: { message: 'Unknown parameter.', param: wrong } } };
      },
    });
    const model = open(own.url, { api: 'responses' });
    expect((await model.complete(ask(), never)).toolCalls).toEqual([{ id: 'c', ...called }]);
    expect(own.seen).toHaveLength(4);
  });

  it('is learnt by each of two calls that are made at once', async () => {
    const mistral = await serve({
      '/chat/completions': (body) =>
        'max_completion_tokens' in body
          ? { status: 422, json: { message: 'max_completion_tokens is not permitted' } }
          : replyOf({ content: 'hi' }),
    });
    const model = open(mistral.url);
    const replies = await Promise.all([1, 2, 3].map(() => model.complete(ask(), never)));
    expect(replies.map(({ content }) => content)).toEqual(['hi', 'hi', 'hi']);
  });

  it('is what the server names: other words in the error do not count, and a limit stays', async () => {
    const short = await serve({
      '/chat/completions': () => ({
        status: 400,
        json: {
          error: {
            message: "max_tokens is too large, and so is 'tool_choice'.",
            param: 'messages',
          },
        },
      }),
    });
    await expect(open(short.url).complete(ask(), never)).rejects.toThrow('too large');
    expect(short.seen).toHaveLength(1);
    const limited = await serve({
      '/chat/completions': () => ({
        status: 400,
        json: { error: { message: 'max_completion_tokens and max_tokens are too large: 12288' } },
      }),
    });
    const priced = open(limited.url, { prices: { '*': { input: 1, output: 1 } } });
    await expect(priced.complete(ask(), never)).rejects.toThrow('12288');
    expect(limited.seen.map((body) => body.max_tokens)).toEqual([undefined, 4096]);
  });

  it('is not guessed: an error about something else is told in the server’s words', async () => {
    const strict = await serve({
      '/chat/completions': () => ({
        status: 400,
        json: { error: { message: 'This prompt was flagged by our strict rules.' } },
      }),
    });
    await expect(open(strict.url).complete(ask(), never)).rejects.toMatchObject({
      code: 'model_failed',
      message:
        'The model server refused the request (400): “This prompt was flagged by our strict rules.”',
    });
    expect(strict.seen).toHaveLength(1);
  });
});

describe('a server’s reason', () => {
  it('is quoted however it is written: Gemini wraps it in a list, a proxy sends a page', async () => {
    const gemini = await serve({
      '/chat/completions': () => ({
        status: 400,
        json: [{ error: { code: 400, message: 'Invalid value at tools[0]', status: 'INVALID' } }],
      }),
    });
    await expect(open(gemini.url).complete(ask(), never)).rejects.toThrow(
      '(400): “Invalid value at tools[0]”',
    );
    const proxy = await serve({
      '/chat/completions': () => ({ status: 413, json: `Too large ${'x'.repeat(900)}` }),
    });
    await expect(open(proxy.url).complete(ask(), never)).rejects.toThrow(
      /\(413\): “Too large x+…”/,
    );
  });

  it('is quoted without keys, also where the server fails', async () => {
    const { url } = await serve({
      '/chat/completions': () => ({
        status: 400,
        json: { error: { message: 'Bad header: Bearer own-key-1234, or sk-abc_DEF-12.' } },
      }),
    });
    await expect(open(url).complete(ask(), never)).rejects.toThrow(
      '“Bad header: [secret] or [secret].”',
    );
    const full = await serve({
      '/chat/completions': () => ({
        status: 501,
        json: { error: { message: 'The model requires more system memory.' } },
      }),
    });
    await expect(
      open(full.url).complete(ask({ deadline: Date.now() + 400 }), never),
    ).rejects.toThrow('more system memory');
  });

  it.each([
    [
      400,
      'Function tools are not supported in /v1/chat/completions. Please use /v1/responses instead.',
    ],
    [404, 'This model is only supported in v1/responses and not in v1/chat/completions.'],
    [422, 'Use the Responses API for this model.'],
  ])(
    'is followed where it asks for the Responses API, from then on (%i)',
    async (status, message) => {
      const paths: string[] = [];
      const output = [{ type: 'function_call', call_id: 'c', ...called }];
      const openai = await serve({
        '/chat/completions': () => {
          paths.push('chat');
          return { status, json: { error: { message, param: 'tools' } } };
        },
        '/responses': () => {
          paths.push('responses');
          return { json: { object: 'response', status: 'completed', output } };
        },
      });
      const model = open(openai.url);
      const { toolCalls, items } = await model.complete(ask(), never);
      expect(toolCalls).toEqual([{ id: 'c', ...called }]);
      const messages: ChatRequest['messages'] = [
        { role: 'user', content: 'Read a.md' },
        { role: 'assistant', content: '', toolCalls, items },
        { role: 'tool', callId: 'c', content: 'hello' },
      ];
      await model.complete(ask({ messages }), never);
      expect(paths).toEqual(['chat', 'responses', 'responses']);
    },
  );

  it('is not followed to another server: a redirect names the address', async () => {
    const other = await serve({ '/chat/completions': () => replyOf({ content: 'hi' }) });
    const beside = `${other.url}/chat/completions`;
    const leads: Record<string, string> = {
      '/near': '/v1/chat/completions',
      '/beside': beside,
      '/away': beside.replace('127.0.0.1', 'localhost'),
    };
    const server = createServer((request, response) => {
      const location = leads[request.url?.replace('/chat/completions', '') ?? ''];
      if (location !== undefined) response.writeHead(301, { location }).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ choices: [{ message: { content: 'hi' } }] }));
    });
    const { url, close } = await listenOnLoopback(server);
    closers.push(close);
    expect((await open(`${url}/near`).complete(ask(), never)).content).toBe('hi');
    for (const place of ['/beside', '/away'])
      await expect(open(url + place).complete(ask(), never)).rejects.toThrow('OPENAI_BASE_URL');
    expect(other.seen).toHaveLength(0);
  });

  it('leads to the setting: a model that was shut down, a server without the Responses API', async () => {
    const openai = await serve({
      '/chat/completions': () => ({
        status: 404,
        json: {
          error: { message: 'The model `gpt-4.1` has been deprecated.', code: 'model_not_found' },
        },
      }),
    });
    await expect(open(openai.url, { name: 'gpt-4.1' }).complete(ask(), never)).rejects.toThrow(
      /has been deprecated.*gpt-6-luna.*PLANNER_MODEL/,
    );
    await expect(open(openai.url, { api: 'responses' }).complete(ask(), never)).rejects.toThrow(
      'OPENAI_API=chat',
    );
  });
});

describe('a reply in a server’s own way', () => {
  it('has its calls read: no id, arguments as an object, no usage (Ollama)', async () => {
    const ollama = await serve({
      '/chat/completions': () =>
        replyOf({
          content: '',
          tool_calls: [{ id: '', function: { name: readTool.name, arguments: { path: 'a.md' } } }],
        }),
    });
    const { toolCalls, finishReason, usage } = await open(ollama.url).complete(ask(), never);
    expect(toolCalls).toEqual([{ id: 'call_1_0', ...called }]);
    expect(finishReason).toBe('tool_calls');
    expect(usage.input_tokens).toBeGreaterThan(20);
  });

  it.each<[string, { read: unknown; written: unknown; cached?: unknown; kept?: unknown }]>([
    ['fractions', { read: 100.2, written: 20.5 }],
    ['numbers below zero', { read: 100, written: -20 }],
    ['more than any model writes', { read: 100, written: 3_000_000_000 }],
    ['more than a number holds', { read: 100, written: 1e20 }],
    ['words', { read: 'many', written: 20 }],
    ['a cache below zero', { read: 100, written: 20, cached: -1e9, kept: -1e9 }],
  ])('has its tokens counted where it sends %s', async (_, { read, written, cached, kept }) => {
    const details = { cached_tokens: cached, cache_write_tokens: kept };
    const text = { type: 'output_text', text: 'Yes.' };
    const own = await serve({
      '/chat/completions': () => ({
        json: {
          choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
          usage: {
            prompt_tokens: read,
            completion_tokens: written,
            prompt_tokens_details: details,
          },
        },
      }),
      '/responses': () => ({
        json: {
          ...{ object: 'response', status: 'completed' },
          output: [{ type: 'message', role: 'assistant', content: [text] }],
          usage: { input_tokens: read, output_tokens: written, input_tokens_details: details },
        },
      }),
    });
    const prices = { '*': { input: 1, output: 1, cached_input: 1, cache_write: 2 } };
    for (const api of ['chat', 'responses'] as const) {
      const reply = await open(own.url, { api, prices }).complete(ask(), never);
      expect(reply.content).toBe('Yes.');
      for (const count of [reply.usage.input_tokens, reply.usage.output_tokens])
        expect(Number.isInteger(count) && count >= 0 && count < 2 ** 31).toBe(true);
      expect(reply.cost_usd).toBeGreaterThan(0);
      expect(reply.cost_usd).toBeLessThan(0.01);
    }
  });

  it.each([
    [
      'vLLM without a parser',
      '<tool_call>\n{"name": "workspace_read", "arguments": {"path": "a.md"}}\n</tool_call>',
    ],
    [
      'LM Studio',
      '[TOOL_REQUEST]{"name": "workspace_read", "arguments": {"path": "a.md"}}[END_TOOL_REQUEST]',
    ],
    ['llama.cpp', '{"name": "workspace_read", "parameters": {"path": "a.md"}}'],
    ['a fenced block', '```json\n{"name": "workspace_read", "arguments": {"path": "a.md"}}\n```'],
  ])('has a call that was written as text read as one: %s', async (_, content) => {
    const { url } = await serve({ '/chat/completions': () => replyOf({ content }) });
    const reply = await open(url).complete(ask(), never);
    expect(reply.toolCalls).toEqual([{ id: 'call_1_0', ...called }]);
    expect(reply.content).toBe('');
  });

  it.each([
    '{"name": "workspace_delete", "arguments": {"path": "a.md"}}',
    'It says <tool_call>{"name": "workspace_read", "arguments": {}}</tool_call> in a.md.',
    '```\n<tool_call>{"name": "workspace_read", "arguments": {}}</tool_call>\n```',
    'Such as {"name": "workspace_read", "arguments": {"path": "a.md"}}, say.',
    '{"name": "Ana", "age": 3}',
  ])('keeps what is no call of an offered tool as text: %s', async (content) => {
    const { url } = await serve({ '/chat/completions': () => replyOf({ content }) });
    expect(await open(url).complete(ask(), never)).toMatchObject({ content, toolCalls: [] });
  });

  it('is not taken with its thoughts, and is empty if it had only thoughts', async () => {
    const { url } = await serve({
      '/chat/completions': (_, index) =>
        index === 0
          ? replyOf({ content: '<think>\nShall I?\n</think>\n\nYes.' })
          : replyOf({ content: '', reasoning_content: 'Hm …' }, { finish_reason: 'length' }),
    });
    const model = open(url);
    expect((await model.complete(ask(), never)).content).toBe('Yes.');
    expect(await model.complete(ask(), never)).toMatchObject({
      content: '',
      finishReason: 'length',
    });
  });

  it('has its parts joined, and an error with the status 200 is one', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ];
    const { url } = await serve({
      '/chat/completions': (_, index) =>
        index === 0 ? replyOf({ content }) : { json: { error: { message: 'Upstream is gone.' } } },
    });
    const model = open(url);
    expect((await model.complete(ask(), never)).content).toBe('Yes.');
    await expect(model.complete(ask(), never)).rejects.toMatchObject({
      message: 'The model some-model failed: “Upstream is gone.”',
      details: { answered: true },
    });
  });

  it('holds no calls in its text once the server has called a tool by itself', async () => {
    const quoted =
      '<tool_call>{"name": "workspace_read", "arguments": {"path": "b.md"}}</tool_call>';
    const { url } = await serve({
      '/chat/completions': (_, index) =>
        index === 0
          ? replyOf({ tool_calls: [{ id: 'c', function: called }] })
          : replyOf({ content: quoted }),
    });
    const model = open(url);
    await model.complete(ask(), never);
    expect(await model.complete(ask(), never)).toMatchObject({ content: quoted, toolCalls: [] });
  });

  it('gets back what the server attached to a call: Gemini’s signature of its thoughts', async () => {
    const extra_content = { google: { thought_signature: 'EoYCCoMC' } };
    const gemini = await serve({
      '/chat/completions': ({ messages = [] }, index) => {
        if (index === 0)
          return replyOf({ tool_calls: [{ id: 'call_1', function: called, extra_content }] });
        const isSigned = JSON.stringify(messages).includes('EoYCCoMC');
        return isSigned
          ? replyOf({ content: 'It says hello.' })
          : {
              status: 400,
              json: [{ error: { message: 'Function call is missing a thought_signature' } }],
            };
      },
    });
    const model = open(gemini.url);
    const { content, toolCalls } = await model.complete(ask(), never);
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Read a.md' },
      { role: 'assistant', content, toolCalls },
      { role: 'tool', callId: 'call_1', content: 'hello' },
    ];
    expect((await model.complete(ask({ messages }), never)).content).toBe('It says hello.');
  });
});

describe('the thoughts of a model', () => {
  const call = { id: 'call_1', type: 'function', function: called };
  const blocks = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm. ' }] },
    { type: 'text', text: 'I look.' },
  ];
  const follow = ({ content, toolCalls, thoughts }: ChatReply): ChatRequest['messages'] => [
    { role: 'user', content: 'Read a.md' },
    { role: 'assistant', content, toolCalls, thoughts },
    { role: 'tool', callId: 'call_1', content: 'hello' },
  ];

  it.each([
    ['DeepSeek', { reasoning_content: 'Let me look.' }],
    ['Kimi, empty', { reasoning_content: '' }],
    ['Groq', { reasoning: 'Let me look.' }],
    [
      'OpenRouter',
      {
        reasoning: 'Let me',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Let me', signature: 'sig', format: 'a', index: 0 },
          { type: 'reasoning.encrypted', data: 'QUJD', id: 'rs_1', format: 'o', index: 1 },
        ],
      },
    ],
    ['LiteLLM', { thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] }],
    ['Mistral', { content: blocks }],
  ])('go back unchanged: %s', async (_, sent) => {
    const { url, seen } = await serve({
      '/chat/completions': ({ messages = [] }) =>
        messages.length === 1
          ? replyOf({ content: null, ...sent, tool_calls: [call] })
          : replyOf({ content: 'hi' }),
    });
    const model = open(url);
    const reply = await model.complete(ask(), never);
    await model.complete(ask({ messages: follow(reply) }), never);
    expect(seen[1]?.messages?.[1]).toMatchObject({ ...sent, tool_calls: [call] });
  });

  it.each(['reasoning_content', 'reasoning_details', 'thinking_blocks'])(
    'go to no server that refuses them: %s',
    async (field) => {
      const { url, seen } = await serve({
        '/chat/completions': (body) => {
          if (body.messages?.length === 1)
            return replyOf({
              [field]: field === 'reasoning_content' ? 'Hm' : [{ type: 'a' }],
              tool_calls: [call],
            });
          return JSON.stringify(body).includes(field)
            ? {
                status: 422,
                json: {
                  detail: [{ type: 'extra_forbidden', loc: ['body', 'messages', 1, field] }],
                },
              }
            : replyOf({ content: 'hi' });
        },
      });
      const model = open(url);
      const messages = follow(await model.complete(ask(), never));
      expect((await model.complete(ask({ messages }), never)).content).toBe('hi');
      await model.complete(ask({ messages }), never);
      expect(seen).toHaveLength(4);
    },
  );

  it('are sent empty where the server misses them', async () => {
    const { url } = await serve({
      '/chat/completions': ({ messages = [] }) => {
        if (messages.length === 1) return replyOf({ tool_calls: [call] });
        const message =
          'The `reasoning_content` in the thinking mode must be passed back to the API.';
        return messages[1]?.reasoning_content === undefined
          ? { status: 400, json: { error: { message } } }
          : replyOf({ content: 'hi' });
      },
    });
    const model = open(url);
    const messages = follow(await model.complete(ask(), never));
    expect((await model.complete(ask({ messages }), never)).content).toBe('hi');
  });
});

describe('a call in another form', () => {
  const path = '{"path":"a.md"}';
  const json = (args: unknown) => JSON.stringify(args);
  const fn = (name: string, args: unknown) => ({ id: 'c', function: { name, arguments: args } });

  it.each<[string, object, unknown?]>([
    ['encoded twice', { tool_calls: [fn(readTool.name, json(path))] }],
    ['encoded three times', { tool_calls: [fn(readTool.name, json(json(path)))] }],
    ['in a code fence', { tool_calls: [fn(readTool.name, `\`\`\`json\n${path}\n\`\`\``)] }],
    ['with a trailing comma', { tool_calls: [fn(readTool.name, '{"path": "a.md",\n}')] }],
    ['in single quotes', { tool_calls: [fn(readTool.name, "{'path': 'a.md'}")] }],
    ['twice', { tool_calls: [fn(readTool.name, path + path)] }],
    ['behind an empty object', { tool_calls: [fn(readTool.name, `{}${path}`)] }],
    ['as functions.name', { tool_calls: [fn(`functions.${readTool.name}`, path)] }],
    ['as functions.name:0', { tool_calls: [fn(`functions.${readTool.name}:0`, path)] }],
    ['as functions:name', { tool_calls: [fn(`functions:${readTool.name}`, path)] }],
    ['in another case, with blanks', { tool_calls: [fn(' Workspace Read ', path)] }],
    ['with a dot', { tool_calls: [fn('workspace.read', path)] }],
    [
      'with a mark of the template',
      { tool_calls: [fn(`${readTool.name}<|channel|>commentary`, path)] },
    ],
    ['as a number of its id', { tool_calls: [{ ...fn(readTool.name, path), id: 7 }] }, '7'],
    ['the old way', { function_call: { name: readTool.name, arguments: path } }, 'call_1_0'],
    [
      'twice, the second without an id',
      {
        tool_calls: [
          fn(readTool.name, path),
          { function: { name: readTool.name, arguments: path } },
        ],
      },
    ],
    [
      'wrapped as parallel',
      {
        tool_calls: [
          fn(
            'multi_tool_use.parallel',
            json({
              tool_uses: [
                { recipient_name: `functions.${readTool.name}`, parameters: { path: 'a.md' } },
              ],
            }),
          ),
        ],
      },
      'c_0',
    ],
  ])('is read as what it means: %s', async (_, message, id = 'c') => {
    const { url } = await serve({ '/chat/completions': () => replyOf(message) });
    const { toolCalls, finishReason } = await open(url).complete(ask(), never);
    expect(toolCalls).toEqual([{ id, ...called }]);
    expect(finishReason).toBe('tool_calls');
  });

  it.each([
    ['{"path":"a.md"}{"path":"b.md"}'],
    ['{"path":"a.md"'],
    ["{'path': 'it's'}"],
    ['[1, 2'],
    ['path=a.md'],
  ])('is left to the model where it may mean several things: %s', async (given) => {
    const { url } = await serve({
      '/chat/completions': () => replyOf({ tool_calls: [fn('workspace_raed', given)] }),
    });
    const { toolCalls } = await open(url).complete(ask(), never);
    expect(toolCalls).toEqual([{ id: 'c', name: 'workspace_raed', arguments: given }]);
  });

  it('can be stored, whatever characters are in it', async () => {
    const message = {
      content: 'a\u0000b\ud800',
      reasoning: '\u0000',
      tool_calls: [fn('a\u0000', path)],
    };
    const { url } = await serve({ '/chat/completions': () => replyOf(message) });
    const reply = await open(url).complete(ask(), never);
    expect(JSON.stringify(reply)).not.toMatch(/\\u0000|\\ud800/);
    expect(reply).toMatchObject({ content: 'a\ufffdb\ufffd', toolCalls: [{ name: 'a\ufffd' }] });
  });

  it('keeps calls apart that share an id, and every digit of a number', async () => {
    const { url } = await serve({
      '/chat/completions': () =>
        replyOf({
          tool_calls: [
            fn(readTool.name, path),
            fn(readTool.name, "{'path': 9007199254740993,}"),
            fn(readTool.name, null),
          ],
        }),
    });
    const { toolCalls } = await open(url).complete(ask(), never);
    expect(toolCalls.map(({ arguments: args }) => args)).toEqual([
      path,
      '{"path":9007199254740993}',
      '',
    ]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
  });
});

describe('the Responses API', () => {
  it('takes a whole conversation, with the model’s reasoning as it came', async () => {
    const double = await start({
      script: [
        { calls: [{ name: readTool.name, args: { path: 'a.md' } }] },
        { text: 'It says hello.' },
      ],
    });
    closers.push(double.close);
    const model = open(double.url, { api: 'responses', name: 'gpt-6.2-sol', prices: {} });
    const first = await model.complete(ask(), never);
    expect(first).toMatchObject({ toolCalls: [{ id: 'call_0_0', ...called }], attempts: 1 });
    // 40 tokens in, 60 cached, 20 out.
    expect(first.cost_usd).toBeCloseTo((40 * 2 + 60 * 0.1 + 20 * 10) / 1e6, 10);
    const { content, toolCalls, items } = first;
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'You plan.' },
      { role: 'user', content: 'Read a.md' },
      { role: 'assistant', content, toolCalls, items },
      { role: 'tool', callId: 'call_0_0', content: 'hello' },
    ];
    expect(await model.complete(ask({ messages }), never)).toMatchObject({
      content: 'It says hello.',
      toolCalls: [],
      finishReason: 'stop',
    });
    const lost: ChatRequest['messages'] = messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, items: (items ?? []).filter(({ type }) => type !== 'reasoning') }
        : message,
    );
    await expect(model.complete(ask({ messages: lost, tools: [readTool] }), never)).rejects.toThrow(
      'without its required',
    );
  });
});

describe('Anthropic’s Messages API', () => {
  const closed = {
    ...readTool,
    parameters: { ...readTool.parameters, additionalProperties: false },
  };
  const claude = (url: string, more: Partial<ModelOptions> = {}) =>
    open(url, { api: 'messages', name: 'claude-sonnet-5-5', effort: 'low', ...more });
  type Sent = {
    system: object[];
    tools: object[];
    messages: { role: string; content: Record<string, unknown>[] }[];
  };
  const marked = { cache_control: { type: 'ephemeral' } };

  it('takes a whole conversation, with the model’s thinking as it came, and counts what the cache had', async () => {
    const double = await start({
      script: [
        { calls: [{ name: readTool.name, args: { path: 'a.md' } }] },
        { text: 'It says hello.' },
      ],
    });
    closers.push(double.close);
    const model = claude(double.url);
    const first = await model.complete(ask(), never);
    expect(first).toMatchObject({
      toolCalls: [{ id: 'toolu_0_0', ...called }],
      finishReason: 'tool_calls',
      usage: { input_tokens: 100, cached_tokens: 60, cache_write_tokens: 10, output_tokens: 20 },
    });
    expect(first.cost_usd).toBeCloseTo((30 * 2 + 60 * 0.1 + 10 * 2.5 + 20 * 10) / 1e6, 10);
    const { content, toolCalls, items } = first;
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'You plan.' },
      { role: 'user', content: 'Read a.md' },
      { role: 'assistant', content, toolCalls, items },
      { role: 'tool', callId: 'toolu_0_0', content: 'hello' },
      { role: 'user', content: 'And now?' },
    ];
    expect(await model.complete(ask({ messages }), never)).toMatchObject({
      content: 'It says hello.',
      finishReason: 'stop',
    });
    const altered: ChatRequest['messages'] = messages.map((message) =>
      message.role === 'assistant'
        ? {
            ...message,
            items: (items ?? []).map((item) => ({
              ...item,
              ...(item.type === 'thinking' ? { thinking: 'Hm.' } : {}),
            })),
          }
        : message,
    );
    await expect(model.complete(ask({ messages: altered }), never)).rejects.toThrow(
      'cannot be modified',
    );
  });

  it('marks what comes again, the last tool, the rules and the end of the history, and is strict where the schema is closed', async () => {
    const reply = {
      ...{ type: 'message', stop_reason: 'end_turn', content: [{ type: 'text', text: 'Yes.' }] },
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const { url, seen } = await serve({ '/messages': () => ({ json: reply }) });
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'You plan.' },
      { role: 'user', content: 'Hello' },
      { role: 'user', content: 'Read a.md' },
    ];
    await claude(url).complete(ask({ messages, tools: [readTool, closed], mustCall: true }), never);
    expect(seen[0]).toMatchObject({
      tool_choice: { type: 'any' },
      output_config: { effort: 'low' },
    });
    const sent = seen[0] as unknown as Sent;
    expect(sent.system).toEqual([{ type: 'text', text: 'You plan.', ...marked }]);
    expect(sent.tools).toEqual([
      { name: readTool.name, description: readTool.description, input_schema: readTool.parameters },
      {
        ...{
          name: readTool.name,
          description: readTool.description,
          input_schema: closed.parameters,
        },
        ...{ strict: true, ...marked },
      },
    ]);
    expect(sent.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'Read a.md', ...marked },
        ],
      },
    ]);
  });

  it('is asked without what it does not take: schemas too large to be strict, a call that must be made', async () => {
    const double = await start({
      script: [
        {
          status: 400,
          message: 'The compiled grammar is too large, which would cause performance issues.',
        },
        { status: 400, message: 'Thinking may not be enabled when tool_choice forces tool use.' },
        { text: 'Yes.' },
        { text: 'Yes.' },
      ],
    });
    closers.push(double.close);
    const model = claude(double.url);
    for (const _ of [1, 2]) await model.complete(ask({ tools: [closed], mustCall: true }), never);
    expect(double.requests.map(({ tool_choice }) => tool_choice)).toEqual([
      ...['required', 'required', undefined, undefined],
    ]);
  });

  it.each([
    [{ status: 429, headers: { 'retry-after': '0' } }, 2, null],
    [{ status: 529, message: 'Overloaded', headers: { 'retry-after': '0' } }, 2, null],
    [
      { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' },
      ...[1, /refused the request \(400\): “prompt is too long.*longer context/],
    ],
    [{ status: 401 }, 1, /refused the key. Check ANTHROPIC_API_KEY/],
    [{ status: 404 }, 1, /does not know claude-sonnet-5-5/],
  ] as const)(
    'answers %j by another attempt or in a sentence',
    async (turn, requests, sentence) => {
      const double = await start({ script: [turn, { text: 'Yes.' }] });
      closers.push(double.close);
      const reply = claude(double.url).complete(ask(), never);
      if (sentence === null) expect(await reply).toMatchObject({ content: 'Yes.', attempts: 2 });
      else await expect(reply).rejects.toThrow(sentence);
      expect(double.requests).toHaveLength(requests);
    },
  );
});

describe('a check of the models', () => {
  const roles = [
    { variable: 'PLANNER_MODEL', model: 'gpt-4.1', effort: 'high' as const },
    { variable: 'EXECUTOR_MODEL', model: 'own-model' },
  ];

  it('makes each call a tool, and warns of the day a model ends', async () => {
    const { url, seen } = await serve({
      '/models': () => ({
        json: { data: [{ id: 'own-model', shutdown_date: '2090-02-01' }, { id: 'gpt-4.1' }] },
      }),
      '/chat/completions': ({ model }) =>
        model === 'gpt-4.1'
          ? replyOf({ tool_calls: [{ id: 'c', function: { name: 'ready', arguments: '{}' } }] })
          : replyOf({ content: 'I am ready.' }),
    });
    const [planner, executor] = await checkModels({ baseUrl: url, api: 'chat' }, roles, free);
    expect(planner).toMatchObject({
      ok: true,
      text: expect.stringMatching(/^gpt-4\.1 called a tool in \d/),
      advice: [
        'gpt-4.1 does not take PLANNER_REASONING_EFFORT=high. It takes none at all.',
        expect.stringMatching(
          /^gpt-4\.1 \S.* 14 January 2027\. Set PLANNER_MODEL to gpt-6-luna\.$/,
        ),
      ],
    });
    expect(executor).toMatchObject({
      ok: false,
      advice: ['Set EXECUTOR_MODEL to a model that calls tools.'],
    });
    expect(seen).toHaveLength(2);
  });

  it('makes the call as a planner does, through a stream, and needs no list of models', async () => {
    const server = await startServer('vLLM', [{ calls: [{ name: 'ready', args: {} }] }]);
    closers.push(server.close);
    const reach = { baseUrl: server.url, api: 'chat' as const };
    const [executor] = await checkModels(reach, roles.slice(1), free);
    expect(executor).toMatchObject({ ok: true, advice: [] });
    expect(server.seen.map(({ stream }) => stream)).toEqual([true]);
  });

  it.each([
    [
      'gpt-4.1',
      { error: { message: 'The model gpt-4.1 has been deprecated.', code: 'model_not_found' } },
      'gpt-4.1 was shut down on 1 January 2020. Set PLANNER_MODEL to gpt-6-luna.',
    ],
    [
      'own-model',
      { error: { message: 'The model own-model has been decommissioned.' } },
      'own-model was shut down on 1 January 2020. Set PLANNER_MODEL to a model without such a date.',
    ],
  ])(
    'says what to set in place of a model that is past its day: %s',
    async (model, json, advice) => {
      const { url } = await serve({
        '/models': () => ({ json: { data: [{ id: model, shutdown_date: '2020-01-01' }] } }),
        '/chat/completions': () => ({ status: 400, json }),
      });
      const role = { variable: 'PLANNER_MODEL', model };
      const [check] = await checkModels({ baseUrl: url, api: 'chat' }, [role], free);
      expect(check).toEqual({
        model,
        ok: false,
        text: expect.stringMatching(/^The model server does not know .* PLANNER_MODEL/),
        advice: [advice],
      });
    },
  );

  it('goes on where the list of models is missing, and says why a call failed', async () => {
    const { url } = await serve({
      '/chat/completions': () => ({ status: 401, json: { error: { message: 'Bad key' } } }),
    });
    const [first] = await checkModels({ baseUrl: url, api: 'chat' }, roles.slice(1), free);
    expect(first).toMatchObject({ ok: false, text: expect.stringContaining('OPENAI_API_KEY') });
  });
});

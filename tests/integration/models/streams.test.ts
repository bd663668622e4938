// Streamed replies, as OpenAI and other servers send them.
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CallProgress } from '#models/chat.ts';
import { createChatModel, type ModelOptions } from '#models/chat-model.ts';
import { clientOf } from '../../fixtures/model-client.ts';
import { ask, readTool, serveModel } from '../../fixtures/model-requests.ts';
import { start } from '../../fixtures/openai-double.ts';
import { pour } from '../../fixtures/pour.ts';

type Body = Record<string, unknown>;
type Answer = (response: ServerResponse, body: Body) => void;
const closers: (() => Promise<void>)[] = [];
const never = new AbortController().signal;

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Repeats the last answer. */
async function serve(...answers: Answer[]) {
  const seen: Body[] = [];
  const { url, close } = await serveModel<Body>((response, body) => {
    seen.push(body);
    answers[Math.min(seen.length, answers.length) - 1]?.(response, body);
  });
  closers.push(close);
  return { url, seen };
}

const head = { 'content-type': 'text/event-stream' };
const write = (events: (object | string)[]) =>
  events
    .map((one) => (typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`))
    .join('');
const stream =
  (...events: (object | string)[]): Answer =>
  (response) =>
    response.writeHead(200, head).end(write(events));
const refuse =
  (status: number, json: object): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
const lose =
  (...events: (object | string)[]): Answer =>
  (response) => {
    response.writeHead(200, head).write(write(events), () => response.destroy());
  };

const done = 'data: [DONE]\n\n';
const chunk = (delta: object, more: object = {}) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const stop = (finish_reason: string, delta: object = {}) => chunk(delta, { finish_reason });
const calls = (...tool_calls: object[]) => chunk({ tool_calls });
const read = (path: string) => ({ name: 'workspace_read', arguments: JSON.stringify({ path }) });
const counted = { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } };

function open(url: string, more: Partial<ModelOptions> = {}) {
  return createChatModel({
    client: clientOf(url, more.api),
    api: 'chat',
    name: 'some-model',
    prices: { '*': { input: 1, output: 10 } },
    ...more,
  });
}

describe('a reply that streams', () => {
  it.each(['chat', 'responses', 'messages'] as const)(
    'is the same as in one piece, however its bytes are cut, and its calls are seen while they come: %s',
    async (api) => {
      const args = {
        path: 'Grüße 🌱.md',
        steps: [{ id: '1', args: { list: [{ a: '} ] "' }] } }, { id: '2' }],
      };
      const double = await start({
        script: [
          {
            calls: [
              { name: readTool.name, args },
              { name: 'other', args: {} },
            ],
          },
          { text: 'Größe: “42” 🌱' },
          { text: 'Once upon', cut: true },
          { refusal: 'I will not.' },
        ],
      });
      closers.push(double.close);
      const model = open(double.url, { api });
      const progress: CallProgress[][] = [];
      const reply = await model.complete(ask({ onProgress: (now) => progress.push(now) }), never);
      expect(reply.toolCalls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
        [readTool.name, args],
        ['other', {}],
      ]);
      expect(reply).toMatchObject({ usage: { input_tokens: 100, output_tokens: 20 }, attempts: 1 });
      expect([...new Set(progress.map(([first]) => first?.items))]).toEqual([0, 1, 2]);
      expect(progress.at(-1)?.map(({ name }) => name)).toEqual([readTool.name, 'other']);
      const next = ask({ tools: [] });
      expect((await model.complete(next, never)).content).toBe('Größe: “42” 🌱');
      expect((await model.complete(next, never)).finishReason).toBe('length');
      expect((await model.complete(next, never)).refusal).toBe('I will not.');
      expect(double.requests.every(({ stream: streams }) => streams === true)).toBe(true);
    },
  );

  it.each([
    [
      'vLLM, between comments that keep the connection alive',
      [
        ': keep-alive\n\n',
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: 'Hm.' }),
        calls({
          index: 0,
          id: 'a',
          type: 'function',
          function: { name: readTool.name, arguments: '' },
        }),
        ': keep-alive\n\n',
        calls({ index: 0, function: { arguments: '{"path":' } }),
        calls({ index: 0, function: { arguments: '"a.md"}' } }),
        calls({ index: 1, id: 'b', type: 'function', function: read('b.md') }),
        stop('tool_calls'),
        counted,
        done,
      ],
    ],
    [
      'Ollama, whole calls and the role in each chunk',
      [
        chunk({ role: 'assistant', content: '', reasoning: 'Hm.' }),
        calls({ index: 0, id: 'a', type: 'function', function: read('a.md') }),
        calls({ index: 1, id: 'b', type: 'function', function: read('b.md') }),
        stop('tool_calls', { role: 'assistant', content: '' }),
        counted,
        done,
      ],
    ],
    [
      'Gemini, without an index, in indexless parts, and it just stops',
      [
        calls({
          id: 'a',
          type: 'function',
          function: { name: readTool.name, arguments: '{"path"' },
        }),
        calls({ function: { arguments: ':"a.md"}' } }),
        calls({ id: 'b', type: 'function', function: read('b.md') }),
        { ...stop('stop', { role: 'assistant' }), usage: counted.usage },
        done,
      ],
    ],
    [
      'Gemini, all calls under one index',
      [
        calls({ index: 0, id: 'a', function: read('a.md') }),
        calls({ index: 0, id: 'b', function: read('b.md') }),
        { ...stop('stop'), usage: counted.usage },
        done,
      ],
    ],
    [
      'a proxy that names no reason for its end, and says so in one line',
      [
        calls(
          { index: 0, id: 'a', function: read('a.md') },
          { index: 1, id: 'b', function: read('b.md') },
        ),
        counted,
        'data:[DONE]',
      ],
    ],
    [
      'a server that repeats id and name with each part',
      [
        calls({ index: 0, id: 'a', function: { name: readTool.name, arguments: '{"path":' } }),
        calls({ index: 0, id: 'a', function: { name: readTool.name, arguments: '"a.md"}' } }),
        calls({ index: 1, id: 'b', function: { name: readTool.name, arguments: '{"path":"b' } }),
        calls({ index: 1, id: 'b', function: { name: readTool.name, arguments: '.md"}' } }),
        { ...stop('tool_calls'), usage: counted.usage },
        done,
      ],
    ],
  ])('is read in the way of %s', async (_, events) => {
    const { url } = await serve(stream(...events));
    const reply = await open(url).complete(ask(), never);
    expect(reply.toolCalls).toEqual([
      { id: 'a', ...read('a.md') },
      { id: 'b', ...read('b.md') },
    ]);
    expect(reply).toMatchObject({
      content: '',
      finishReason: 'tool_calls',
      usage: { input_tokens: 100, output_tokens: 20 },
    });
  });

  const whole = JSON.stringify({ path: 'a.md' });
  const fn = (args: unknown, name?: string) => ({
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  });
  it.each<[string, object[]]>([
    [
      'with the last chunk',
      [
        calls({ index: 0, id: 'c', ...fn(whole, readTool.name) }),
        stop('tool_calls', { tool_calls: [{ index: 0, id: 'c', ...fn(whole, readTool.name) }] }),
      ],
    ],
    [
      'in parts, then whole',
      [
        calls({ index: 0, id: 'c', ...fn('', readTool.name) }),
        calls({ index: 0, ...fn('{"path":') }),
        calls({ index: 0, ...fn('"a.md"}') }),
        calls({ index: 0, ...fn(whole) }),
        stop('tool_calls'),
      ],
    ],
    [
      'without id and index',
      [
        calls({ id: 'c', ...fn(whole, readTool.name) }),
        calls(fn(whole, readTool.name)),
        stop('stop'),
      ],
    ],
    [
      'as an object',
      [
        calls({ index: 0, id: 'c', ...fn(whole, readTool.name) }),
        calls({ index: 0, ...fn({ path: 'a.md' }) }),
        stop('stop'),
      ],
    ],
    [
      'in parts again',
      [
        calls({ index: 0, id: 'c', ...fn(whole, readTool.name) }),
        calls({ index: 0, ...fn('{"path":') }),
        calls({ index: 0, ...fn('"a.md"}') }),
        stop('stop'),
      ],
    ],
    [
      'as a whole message',
      [
        calls({ index: 0, id: 'c', ...fn(whole, readTool.name) }),
        {
          choices: [
            {
              finish_reason: 'stop',
              message: { content: '', tool_calls: [{ id: 'c', ...fn(whole, readTool.name) }] },
            },
          ],
        },
      ],
    ],
    [
      'encoded twice',
      [
        calls({ index: 0, id: 'c', ...fn(JSON.stringify(whole), `functions.${readTool.name}`) }),
        stop('stop'),
      ],
    ],
  ])('has the arguments once that come once more: %s', async (_, events) => {
    const { url } = await serve(stream(...events, done));
    const { toolCalls } = await open(url).complete(ask(), never);
    expect(toolCalls).toEqual([{ id: 'c', name: readTool.name, arguments: whole }]);
  });

  it('keeps two calls apart that share an id or a number', async () => {
    const other = { ...fn(JSON.stringify({ path: 'b.md' }), readTool.name) };
    const first = fn(whole, readTool.name);
    const pairs: [object, object][] = [
      [
        { index: 0, id: 'c', ...first },
        { index: 1, id: 'c', ...other },
      ],
      [
        { index: 0, id: 'c', ...first },
        { index: 0, id: 'c', ...other },
      ],
      [
        { index: 0, ...first },
        { index: 0, ...other },
      ],
      [first, other],
    ];
    for (const [one, two] of pairs) {
      const { url } = await serve(stream(calls(one), calls(two), stop('stop'), done));
      const { toolCalls } = await open(url).complete(ask(), never);
      expect(toolCalls.map(({ arguments: args }) => args)).toEqual([
        whole,
        other.function.arguments,
      ]);
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
    }
  });

  it('has its thoughts put together as they go back', async () => {
    const detail = (text: string, more: object = {}) =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text, ...more }] });
    const thinking = (text: string) =>
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });
    const { url } = await serve(
      stream(
        chunk({ role: 'assistant', content: null, reasoning_content: 'Let ' }),
        chunk({ reasoning_content: 'me.' }),
        chunk({ content: '', reasoning_content: null }),
        detail('Let '),
        detail('me.', { signature: 'sig' }),
        thinking('Hm'),
        thinking('.'),
        chunk({ content: 'Yes.' }),
        stop('stop'),
        done,
      ),
    );
    expect(await open(url).complete(ask(), never)).toMatchObject({
      content: 'Yes.',
      thoughts: {
        reasoning_content: 'Let me.',
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'Let me.', signature: 'sig' },
        ],
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
    });
  });

  it.each([
    ['an event called error', stream('event: error\ndata: {"message":"Out of tokens."}\n\n')],
    ['plain words', stream('event: error\ndata: Out of tokens.\n\n')],
    ['a text for an error', refuse(200, { error: 'Out of tokens.' })],
    ['a list', refuse(400, [{ error: { message: 'Out of tokens.' } }])],
  ])('is quoted where it fails: %s', async (_, answer) => {
    const { url } = await serve(answer);
    await expect(open(url).complete(ask(), never)).rejects.toThrow('Out of tokens.');
  });

  it.each([
    ['text/plain', write([': hello\n\n', '\n\n', chunk({ content: 'Yes.' }), stop('stop'), done])],
    ['application/json', write([chunk({ content: 'Yes.' }), stop('stop')])],
    ['text/plain', JSON.stringify({ choices: [{ message: { content: 'Yes.' } }] })],
  ])('is read whatever its type says: %s', async (type, body) => {
    const { url } = await serve((response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    expect((await open(url).complete(ask(), never)).content).toBe('Yes.');
  });

  it('keeps what a server attaches to a call, also where it comes by itself', async () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    const { url } = await serve(
      stream(
        calls({ id: 'a', function: read('a.md') }),
        calls({ extra_content }),
        stop('stop'),
        done,
      ),
    );
    expect((await open(url).complete(ask(), never)).toolCalls).toEqual([
      { id: 'a', ...read('a.md'), extra: { extra_content } },
    ]);
  });

  it('is read without thoughts: in tags, in parts of their own (Mistral), or of nothing else', async () => {
    const { url } = await serve(
      stream(chunk({ content: '<think>Shall I?</th' }), chunk({ content: 'ink>\n\nYes.' }), done),
      stream(
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
        chunk({ content: [{ type: 'text', text: 'Ye' }] }),
        stop('stop', { content: 's.' }),
        done,
      ),
      stream(chunk({ reasoning: 'So long' }), stop('length'), done),
    );
    const model = open(url);
    expect((await model.complete(ask(), never)).content).toBe('Yes.');
    expect((await model.complete(ask(), never)).content).toBe('Yes.');
    expect(await model.complete(ask(), never)).toMatchObject({
      content: '',
      toolCalls: [],
      finishReason: 'length',
    });
  });

  it('is counted where the server does not count, thoughts included', async () => {
    const { url } = await serve(
      stream(chunk({ content: 'Yes.' }), stop('stop'), done),
      stream(
        chunk({ reasoning_content: 'Let me see. '.repeat(100) }),
        chunk({ content: 'Yes.' }),
        done,
      ),
    );
    const model = open(url);
    const short = await model.complete(ask(), never);
    expect(short.usage.input_tokens).toBeGreaterThan(20);
    expect(short.usage.output_tokens).toBeGreaterThan(0);
    const long = await model.complete(ask(), never);
    expect(long.usage.output_tokens).toBeGreaterThan(300);
    expect(long.cost_usd).toBeGreaterThan(short.cost_usd + 0.002);
  });

  it('ends where the server says so, though the connection stays open', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, head).write(write([chunk({ content: 'Yes.' }), stop('stop'), done]));
    });
    expect((await open(url).complete(ask(), never)).content).toBe('Yes.');
  });

  it('has its response put together where the last event is bare', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'a', ...read('a.md') };
    const response = { object: 'response', status: 'completed', output: [] };
    const { url } = await serve(
      stream(
        { type: 'response.created', response },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ),
    );
    expect((await open(url, { api: 'responses' }).complete(ask(), never)).toolCalls).toEqual([
      { id: 'a', ...read('a.md') },
    ]);
  });
});

describe('a stream that breaks', () => {
  const half = [
    chunk({ content: 'x '.repeat(200) }),
    calls({ index: 0, id: 'a', function: read('a.md') }),
  ];

  it('is asked for again, and paid for with what was written: lost, ended in the middle or within an event', async () => {
    const whole = stream(chunk({ content: 'Yes.' }), stop('stop'), counted, done);
    const broken = [lose(...half), stream(...half), stream(...half, 'data: {"choices":[{"del')];
    const replies = broken.map(async (first) => {
      const { url, seen } = await serve(first, whole);
      const reply = await open(url).complete(ask(), never);
      expect(reply).toMatchObject({ content: 'Yes.', toolCalls: [], attempts: 2 });
      expect(reply.usage.input_tokens).toBeGreaterThan(120);
      expect(reply.usage.output_tokens).toBeGreaterThan(200);
      expect(seen).toHaveLength(2);
    });
    await Promise.all(replies);
  });

  it('is paid for when no later attempt succeeds, and asked for again once', async () => {
    const busy = refuse(503, { error: { message: 'busy' } });
    for (const next of [busy, lose(...half)]) {
      const { url, seen } = await serve(lose(...half), next, busy, busy, next);
      await expect(open(url).complete(ask(), never)).rejects.toMatchObject({
        details: { answered: true },
      });
      expect(seen).toHaveLength(next === busy ? 4 : 2);
    }
  });

  it('counts as whole behind its end', async () => {
    const { url, seen } = await serve(lose(chunk({ content: 'Yes.' }), stop('stop')));
    expect((await open(url).complete(ask(), never)).content).toBe('Yes.');
    expect(seen).toHaveLength(1);
  });

  it('ends in a sentence when there is no time for another attempt', async () => {
    const { url } = await serve(stream({ type: 'response.created', response: {} }));
    const model = open(url, { api: 'responses' });
    await expect(model.complete(ask({ deadline: Date.now() + 400 }), never)).rejects.toMatchObject({
      code: 'model_failed',
      message: expect.stringMatching(
        /connection broke before some-model finished its answer.*proxy/,
      ),
      details: { answered: true },
    });
  });

  it.each([
    [
      'chat',
      [chunk({ content: 'Ye' }), { error: { message: 'CUDA is out of memory.', code: 500 } }],
    ],
    ['chat', [chunk({ content: 'Ye' }), { object: 'error', message: 'CUDA is out of memory.' }]],
    [
      'chat',
      [
        'event: error\n',
        { type: 'error', error: { type: 'overloaded_error', message: 'CUDA is out of memory.' } },
      ],
    ],
    [
      'responses',
      [{ type: 'error', code: 'server_error', message: 'CUDA is out of memory.', param: null }],
    ],
    [
      'responses',
      [
        {
          type: 'response.failed',
          response: {
            object: 'response',
            status: 'failed',
            error: { code: 'server_error', message: 'CUDA is out of memory.' },
            output: [],
          },
        },
      ],
    ],
  ] as const)('quotes the error that the server sends in it: %s %j', async (api, events) => {
    const { url, seen } = await serve(stream(...events));
    const soon = ask({ deadline: Date.now() + 400 });
    await expect(open(url, { api }).complete(soon, never)).rejects.toMatchObject({
      message: 'The model some-model failed: “CUDA is out of memory.”',
      details: { answered: true },
    });
    expect(seen).toHaveLength(1);
  });

  it('is asked for again when the server fails for a reason that passes, and not for others', async () => {
    const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
    const refused = { type: 'error', code: 'invalid_prompt', message: 'Not this.' };
    const busy = await serve(
      stream(chunk({ content: 'Ye' }), 'event: error\n', { type: 'error', error: overloaded }),
      stream(chunk({ content: 'Yes.' }), stop('stop'), counted, done),
    );
    const strict = await serve(stream(refused));
    const reply = await open(busy.url).complete(ask(), never);
    expect(reply).toMatchObject({ content: 'Yes.', attempts: 2 });
    await expect(open(strict.url, { api: 'responses' }).complete(ask(), never)).rejects.toThrow(
      'Not this.',
    );
    expect(strict.seen).toHaveLength(1);
  });

  it('is broken off at once when it is told to stop: the server sees it', async () => {
    const stopping = new AbortController();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { url } = await serve((response) => {
      response.on('close', resolve);
      response
        .writeHead(200, head)
        .write(write([calls({ index: 0, id: 'a', function: read('a.md') })]));
    });
    const request = ask({
      deadline: Date.now() + 600_000,
      onProgress: () => stopping.abort(),
    });
    const reply = open(url).complete(request, stopping.signal);
    await expect(reply).rejects.toMatchObject({ code: 'cancelled' });
    await closed;
  });

  it('may take as long as it likes while something comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const pieces = [...'{"path":"a.md"}'].map((piece) =>
      calls({ index: 0, id: 'a', function: { name: readTool.name, arguments: piece } }),
    );
    let sendNext = () => {};
    const { url } = await serve((response) => {
      response.writeHead(200, head);
      sendNext = () => {
        const piece = pieces.shift();
        if (piece === undefined) response.end(write([stop('tool_calls'), done]));
        else response.write(write([piece]));
      };
      sendNext();
    });
    const reply = await open(url).complete(
      ask({
        idleTimeoutMs: 1000,
        onProgress: () => {
          vi.advanceTimersByTime(900);
          sendNext();
        },
      }),
      never,
    );
    expect(reply.toolCalls).toEqual([{ id: 'a', ...read('a.md') }]);
  });

  it('ends when nothing has come for too long, whatever its deadline', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, head).write(write([chunk({ content: 'Ye' })]));
    });
    await expect(open(url).complete(ask({ idleTimeoutMs: 50 }), never)).rejects.toMatchObject({
      code: 'timed_out',
      message: expect.stringContaining('sent nothing for'),
    });
  });
});

describe('a server that does not end', () => {
  it.each<[string, (response: ServerResponse) => Promise<number>, string]>([
    ['an error', (response) => pour(response.writeHead(400)), 'refused the request (400)'],
    [
      'an event',
      (response) => {
        response.writeHead(200, head).write('data: {"choices":[{"delta":{"content":"');
        return pour(response);
      },
      'connection broke',
    ],
    [
      'JSON',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[{"a":"');
        return pour(response);
      },
      'connection broke',
    ],
  ])('is read up to a limit: %s', async (_, answer, message) => {
    const sizes: Promise<number>[] = [];
    const { url } = await serve((response) => sizes.push(answer(response)));
    await expect(
      open(url).complete(ask({ deadline: Date.now() + 30_000 }), never),
    ).rejects.toMatchObject({ message: expect.stringContaining(message) });
    for (const size of await Promise.all(sizes)) expect(size).toBeLessThan(30_000_000);
  });
});

describe('a server that does not stream', () => {
  const whole: Answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }] }));

  it('may answer in one piece', async () => {
    const { url, seen } = await serve(whole);
    expect((await open(url).complete(ask(), never)).content).toBe('Yes.');
    expect(seen[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('is asked without what it refuses from then on: Mistral counts unasked', async () => {
    const detail = {
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'stream_options', 'include_usage'],
          msg: 'Extra inputs are not permitted',
          input: true,
        },
      ],
    };
    const { url, seen } = await serve(
      refuse(422, { object: 'error', message: detail, type: 'invalid_request_error', param: null }),
      stream(chunk({ content: 'Yes.' }), { ...stop('stop'), usage: counted.usage }, done),
    );
    const model = open(url);
    expect((await model.complete(ask(), never)).usage.input_tokens).toBe(100);
    await model.complete(ask(), never);
    expect(seen.map(({ stream: streams, stream_options }) => [streams, stream_options])).toEqual([
      [true, { include_usage: true }],
      [true, undefined],
      [true, undefined],
    ]);
  });

  it.each([
    [
      'responses',
      {
        error: {
          message: 'Your organization must be verified to stream this model.',
          type: 'invalid_request_error',
          param: 'stream',
          code: 'unsupported_value',
        },
      },
    ],
    ['chat', { error: { message: 'Streaming is not supported together with tools.' } }],
  ] as const)('is asked in one piece from then on: %s %j', async (api, error) => {
    const response = {
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] }],
    };
    const { url, seen } = await serve(
      refuse(400, error),
      api === 'chat' ? whole : (answer) => refuse(200, response)(answer, {}),
    );
    const model = open(url, { api });
    expect((await model.complete(ask(), never)).content).toBe('Yes.');
    await model.complete(ask(), never);
    expect(seen.map((body) => 'stream' in body)).toEqual([true, false, false]);
    expect(seen[1]).not.toHaveProperty('stream_options');
  });
});

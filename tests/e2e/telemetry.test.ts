// Traces, metrics and logs of one Slack story across processes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propose } from '../fixtures/model-calls.ts';
import { type OpenAiDouble, start } from '../fixtures/openai-double.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../fixtures/otlp-receiver.ts';
import { type SlackDouble, startSlack } from '../fixtures/slack/double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import {
  compileCache,
  node,
  type Program,
  quickly,
  root,
  type Server,
  usePrograms,
} from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();

const planted = {
  key: 'sk-planted-model-key-1234',
  note: 'planted-note-key-5678',
  header: 'planted-collector-token-9012',
};
const words = 'Note the release, please';

let receiver: OtlpReceiver;
let model: OpenAiDouble;
let slack: SlackDouble;
let gateway: Server;
let worker: Program;
let metricsOfWorker: string;
let notes: string;
let planId: string;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  slack = await startSlack();
  model = await start({
    script: () =>
      propose({
        title: 'Note the release',
        summary: 'It is noted.',
        steps: [
          draftStep('1', 'Note it', 'notes_note', { line: 'out' }),
          draftStep('2', 'Write it', 'workspace_write', { path: 'out.txt', content: 'out' }, '1'),
        ],
        risks: [],
        confidence: 0.9,
      }),
  });
  const home = await programs.home();
  notes = join(home, 'notes.jsonl');
  const settings = {
    mcpServers: {
      notes: {
        command: node,
        args: [...quickly, join(root, 'tests/fixtures/trace-server.ts'), notes],
        env: { NODE_COMPILE_CACHE: compileCache, NOTE_KEY: planted.note },
      },
    },
  };
  const options = {
    home: await programs.home(settings),
    database: database.url,
    env: {
      LOG_LEVEL: 'debug',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: planted.key,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${planted.header}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      HEALTH_PORT: '0',
    },
  };
  [gateway, worker] = await Promise.all([
    programs.serve({ ...options, verb: 'gateway' }),
    programs.work(options),
  ]);
  const [, health = ''] = /Health and metrics: (\S+)/.exec(worker.stdout()) ?? [];
  slack.connect({ url: `${gateway.url}/slack/events` });
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;
  const { message } = await slack.mention(ana.id, channel, words);
  const card = await waitFor(
    'the card',
    () =>
      slack
        .replies(channel, message.ts)
        .findLast(({ blocks }) => JSON.stringify(blocks).includes('countersign:approve')),
    { timeoutMs: 60_000 },
  );
  planId = /PLAN-[0-9a-f]+/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  await slack.press(ana.id, card, 'countersign:approve');
  await gateway.api.reach(planId, 'completed');
  await waitFor('the last card', () =>
    receiver.spans.some(
      ({ name, attributes, traceId }) =>
        name === 'update card slack' &&
        attributes['countersign.plan.id'] === planId &&
        traceId === find('step notes_note')?.traceId,
    ),
  );
  metricsOfWorker = await (await fetch(`${health}/metrics`)).text();
  await slack.settle();
  await Promise.all([gateway.stop(), worker.stop()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([receiver.close(), model.close(), slack.end()]);
});

const find = (name: string): ReceivedSpan | undefined =>
  receiver.spans.find((span) => span.name === name);

function get(name: string): ReceivedSpan {
  const span = find(name);
  if (span === undefined)
    throw new Error(`no span ${name} among ${receiver.spans.map((one) => one.name).join(', ')}`);
  return span;
}

// Outermost first.
function pathTo(span: ReceivedSpan): string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathTo(parent)), span.name];
}

describe('one story', () => {
  it('is a trace from the question to the proposal, over both processes', () => {
    const planning = get('invoke_agent planner');
    expect(pathTo(planning)).toEqual(['slack event', 'process plan', 'invoke_agent planner']);
    expect(pathTo(get('chat gpt-6.2-sol')).slice(0, 3)).toEqual(pathTo(planning));
    expect(pathTo(get('execute_tool add_steps')).slice(0, 3)).toEqual(pathTo(planning));
    expect(get('post card slack').traceId).toBe(planning.traceId);
    expect(planning).toMatchObject({
      role: 'worker',
      service: 'countersign',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'planner',
        'countersign.outcome': 'proposal',
      },
    });
  });

  it('goes on in another trace when a person has approved, which is linked to the first', () => {
    const planning = get('invoke_agent planner');
    const step = get('step notes_note');
    const press = receiver.spans.find(
      ({ name, traceId }) => name.startsWith('slack ') && traceId === step.traceId,
    );
    expect(step.traceId).not.toBe(planning.traceId);
    expect(press?.links.map(({ traceId }) => traceId)).toContain(planning.traceId);
    expect(step.parentSpanId).toBe(press?.spanId);
    expect(get('process execute').parentSpanId).toBe(press?.spanId);
    expect(get('step workspace_write').traceId).toBe(step.traceId);
    expect(step.attributes).toMatchObject({
      'countersign.plan.id': planId,
      'countersign.step.id': '1',
      'countersign.step.operation': 'notes_note',
      'countersign.step.attempt': 1,
      'countersign.step.status': 'succeeded',
    });
  });

  it('reaches MCP servers, which are told what they work for', async () => {
    const request = get('tools/call note');
    expect(pathTo(request).slice(-3)).toEqual([
      'step notes_note',
      'execute_tool notes_note',
      'tools/call note',
    ]);
    expect(request).toMatchObject({
      kind: 3,
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'note',
        'network.transport': 'pipe',
      },
    });
    const [noted = ''] = (await readFile(notes, 'utf8')).split('\n');
    expect(JSON.parse(noted).meta).toMatchObject({
      traceparent: `00-${request.traceId}-${request.spanId}-01`,
    });
  });

  it('describes calls of models by the conventions, and what they said by nothing', () => {
    expect(get('chat gpt-6.2-sol')).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-6.2-sol',
        'gen_ai.response.model': 'gpt-6.2-sol',
        'gen_ai.response.finish_reasons': ['tool_calls'],
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 20,
        'server.address': '127.0.0.1',
      },
    });
    const sent = receiver.bodies.join('\n');
    expect(sent).not.toContain(words);
    expect(sent).not.toContain('It is noted.');
    expect(sent).not.toContain('gen_ai.input.messages');
  });

  it('calls attributes what the conventions call them', () => {
    const known = new Set<unknown>(Object.values(conventions));
    const names = receiver.spans.flatMap(({ attributes }) => Object.keys(attributes));
    const ours = new Set(names.filter((name) => !name.startsWith('countersign.')));
    expect([...ours].filter((name) => !known.has(name))).toEqual([]);
  });

  it('says in each line of the log which trace, job, step and event it belongs to', () => {
    const lines = `${gateway.stderr()}${worker.stderr()}`
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const { msg, request_id } of lines)
      if (msg === 'request') expect(request_id).toEqual(expect.any(String));
  });

  it('is told without a secret, wherever that was planted', () => {
    const written = [
      ...receiver.bodies.map((body) => body.slice(body.indexOf('} {'))),
      gateway.stderr(),
      worker.stderr(),
      metricsOfWorker,
    ].join('\n');
    for (const secret of [...Object.values(planted), slack.token, slack.app.signingSecret])
      expect(written).not.toContain(secret);
  });

  it('is counted by the worker', () => {
    const samples = [
      'countersign_planning_turn_duration_seconds_count{result="proposal",outcome="ok"} 1',
      'countersign_model_call_duration_seconds_count{model="gpt-6.2-sol",outcome="ok"} 1',
      'countersign_model_tokens_total{model="gpt-6.2-sol",direction="input"} 100',
      'countersign_step_duration_seconds_count{status="succeeded"} 2',
      'countersign_tool_call_duration_seconds_count{tool="notes",outcome="ok"} 1',
      'countersign_step_start_delay_seconds_count 2',
      'countersign_plans{status="completed"} 1',
    ];
    const lines = new Set(metricsOfWorker.split('\n'));
    expect(samples.filter((sample) => !lines.has(sample))).toEqual([]);
  });
});

// Histograms and counters of this process.
import { Counter, Histogram, type Registry } from 'prom-client';
import { type Attributes, addMeter, type Wait, type Work } from '#domain/telemetry.ts';

/** Seconds, for what people or programs wait for. */
const quick = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds, for what waits for models, tools and people. */
const slow = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

type Measured = {
  name: string;
  help: string;
  buckets: number[];
  labels: Record<string, string>;
};

const outcome = { outcome: 'error.type' };

/** The server measures `http`. */
const ofWork: Record<Exclude<Work, 'http'>, Measured> = {
  planning_turn: {
    name: 'countersign_planning_turn_duration_seconds',
    help: 'Planning turns, from the start of the planner until what came of it is stored.',
    buckets: slow,
    labels: { result: 'countersign.outcome', ...outcome },
  },
  model_call: {
    name: 'countersign_model_call_duration_seconds',
    help: 'Calls of language models, with the attempts that failed before.',
    buckets: slow,
    labels: { model: 'gen_ai.request.model', ...outcome },
  },
  tool_call: {
    name: 'countersign_tool_call_duration_seconds',
    help: 'Calls of operations, while planning and in plans, by tool; those of the planner itself as "planner".',
    buckets: slow,
    labels: { tool: 'countersign.tool', ...outcome },
  },
  mcp_request: {
    name: 'countersign_mcp_request_duration_seconds',
    help: 'Requests to MCP servers.',
    buckets: slow,
    labels: { server: 'countersign.mcp.server', method: 'mcp.method.name', ...outcome },
  },
  step: {
    name: 'countersign_step_duration_seconds',
    help: 'Attempts at steps, from their claim until they ended, with waiting for a slot.',
    buckets: slow,
    labels: { status: 'countersign.step.status' },
  },
  job: {
    name: 'countersign_job_duration_seconds',
    help: 'Jobs by queue, from when they were taken.',
    buckets: slow,
    labels: { queue: 'messaging.destination.name', ...outcome },
  },
  chat_event: {
    name: 'countersign_chat_event_duration_seconds',
    help: 'Handling of events of chat platforms, one try each.',
    buckets: quick,
    labels: { platform: 'countersign.platform', kind: 'countersign.event.kind', ...outcome },
  },
  card: {
    name: 'countersign_card_send_duration_seconds',
    help: 'Drawing and sending of messages and cards to chat platforms.',
    buckets: quick,
    labels: { platform: 'countersign.platform', what: 'countersign.card', ...outcome },
  },
};

const ofWaits: Record<Wait, Measured> = {
  step_start: {
    name: 'countersign_step_start_delay_seconds',
    help: 'From when a step could run until a worker took it.',
    buckets: quick,
    labels: {},
  },
  chat_acknowledge: {
    name: 'countersign_chat_acknowledge_duration_seconds',
    help: 'From when an event of a chat platform came in until it was stored and could be acknowledged.',
    buckets: quick,
    labels: { platform: 'countersign.platform' },
  },
  chat_event_age: {
    name: 'countersign_chat_event_age_seconds',
    help: 'From when an event of a chat platform was stored until it was handled: of a press, until its decision is made.',
    buckets: quick,
    labels: { platform: 'countersign.platform', kind: 'countersign.event.kind' },
  },
  card_age: {
    name: 'countersign_card_age_seconds',
    help: 'Time from a message being written until it is posted to its chat platform.',
    buckets: quick,
    labels: { platform: 'countersign.platform' },
  },
};

const textOf = (value: Attributes[string]) => (value === undefined ? 'ok' : String(value));

function createHistogram(
  { name, help, buckets, labels }: Measured,
  registry: Registry,
): (seconds: number, attributes: Attributes) => void {
  const histogram = new Histogram({
    name,
    help,
    buckets,
    labelNames: Object.keys(labels),
    registers: [registry],
  });
  const read = Object.entries(labels);
  return (seconds, attributes) =>
    histogram.observe(
      Object.fromEntries(read.map(([label, from]) => [label, textOf(attributes[from])])),
      seconds,
    );
}

function createSpending(registry: Registry): (attributes: Attributes) => void {
  const tokens = new Counter({
    name: 'countersign_model_tokens_total',
    help: 'Tokens that models have read and written for this process.',
    labelNames: ['model', 'direction'],
    registers: [registry],
  });
  const usd = new Counter({
    name: 'countersign_model_cost_usd_total',
    help: 'US dollars that calls of models have cost this process.',
    labelNames: ['model'],
    registers: [registry],
  });
  const numberOf = (value: Attributes[string]) => (typeof value === 'number' ? value : 0);
  return (attributes) => {
    const model = textOf(attributes['gen_ai.request.model']);
    const { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output } = attributes;
    tokens.inc({ model, direction: 'input' }, numberOf(input));
    tokens.inc({ model, direction: 'output' }, numberOf(output));
    usd.inc({ model }, numberOf(attributes['countersign.cost_usd']));
  };
}

export function measureWork(registry: Registry): () => void {
  const create = <Kind extends string>(table: Record<Kind, Measured>) =>
    new Map(
      Object.entries<Measured>(table).map(([kind, one]) => [kind, createHistogram(one, registry)]),
    );
  const [works, waits] = [create(ofWork), create(ofWaits)];
  const spend = createSpending(registry);
  return addMeter({
    worked(work, seconds, attributes) {
      works.get(work)?.(seconds, attributes);
      if (work === 'model_call') spend(attributes);
    },
    waited: (wait, seconds, attributes) => waits.get(wait)?.(seconds, attributes),
  });
}

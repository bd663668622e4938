// `npm run evals`: runs cases on recorded replies, or `--live` on a model.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readModelAccess } from '#models/access.ts';
import { findPrice } from '#models/catalogue.ts';
import { createChatModel } from '#models/chat-model.ts';
import { openModelClient } from '#models/open-client.ts';
import { type Category, categories, type EvalCase } from './case.ts';
import { openRecordedModels } from './recorded-model.ts';
import { fold, normalise, type Recordings, readRecordings, writeRecordings } from './recordings.ts';
import { type EvalResult, type ModelCall, runCase } from './run-case.ts';
import { cases, type Miss, runRecorded } from './suite.ts';
import { type EvalRow, writeTable } from './table.ts';

const usage = `npm run evals -- [options]
  --only TEXT     only the category or case of that name; may be given several times
  --accept        take the recorded replies in their order, and record the requests as they are now
  --live          ask a model: the variables of docs/models.md say where
  --model NAME    which model; may be given several times
  --runs N        how often each case is asked (1)
  --record        record the replies of cases that pass`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    accept: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    model: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function chosenCases(): [Category, EvalCase[]][] {
  const { only } = options;
  return categories.flatMap((category): [Category, EvalCase[]][] => {
    const chosen = cases[category].filter(
      ({ id }) => only.length === 0 || only.includes(category) || only.includes(id),
    );
    return chosen.length === 0 ? [] : [[category, chosen]];
  });
}

function toRow(
  model: string,
  category: Category,
  id: string,
  { problems, calls, words, questions }: EvalResult,
): EvalRow {
  const sum = (read: (call: ModelCall) => number) =>
    calls.reduce((total, call) => total + read(call), 0);
  return {
    model,
    category,
    id,
    problems,
    calls: calls.length,
    tokensIn: sum(({ reply }) => reply.usage.input_tokens),
    tokensOut: sum(({ reply }) => reply.usage.output_tokens),
    words,
    questions,
    seconds: sum(({ seconds }) => seconds),
    cost: sum(({ reply }) => reply.cost_usd),
  };
}

/** Whole, for writing its reply by hand. */
function printMiss(id: string, { body, why }: Miss): void {
  console.log(`\n=== ${id}: ${why}`);
  console.log(`Tools: ${(body.tools ?? []).map((tool) => tool.function.name).join(', ')}`);
}

async function runAllRecorded(): Promise<EvalRow[]> {
  const models = await openRecordedModels();
  const rows: EvalRow[] = [];
  try {
    for (const [category, chosen] of chosenCases()) {
      const recordings = await readRecordings(category);
      for (const one of chosen) {
        const result = await runRecorded(one, models, recordings, options.accept);
        if (result.miss !== null) printMiss(one.id, result.miss);
        if (options.accept) recordings[one.id] = result.recorded;
        rows.push(toRow('recorded', category, one.id, result));
      }
      if (options.accept) await writeRecordings(category, sorted(recordings, category));
    }
  } finally {
    await models.close();
  }
  return rows;
}

function sorted(recordings: Recordings, category: Category): Recordings {
  return Object.fromEntries(
    cases[category].flatMap(({ id }) => {
      const recorded = recordings[id];
      return recorded === undefined || recorded.length === 0 ? [] : [[id, recorded]];
    }),
  );
}

const Environment = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.string().optional(),
  OPENAI_API: z.enum(['responses', 'chat']).optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.string().optional(),
});

async function openLiveModel(name: string) {
  const access = readModelAccess(Environment.parse(process.env));
  if (access === null)
    throw new Error('Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY for --live.');
  const client = await openModelClient(access);
  // Without a known price the column of costs stays empty.
  const prices = findPrice(name) === null ? { [name]: { input: 0, output: 0 } } : {};
  return createChatModel({ client, api: access.api, name, prices });
}

async function runAllLive(name: string): Promise<EvalRow[]> {
  const model = await openLiveModel(name);
  const rows: EvalRow[] = [];
  for (const [category, chosen] of chosenCases()) {
    const recordings = await readRecordings(category);
    for (const one of chosen)
      for (let run = 0; run < Number(options.runs); run += 1) {
        const result = await runCase(one, model);
        const { problems, calls } = result;
        rows.push(toRow(name, category, one.id, result));
        console.error(`${problems.length === 0 ? 'passed' : 'FAILED'} ${one.id}`);
        if (options.record && problems.length === 0) recordings[one.id] = record(calls, name);
      }
    if (options.record) await writeRecordings(category, sorted(recordings, category));
  }
  return rows;
}

function record(calls: ModelCall[], by: string): Recordings[string] {
  let before: string[] = [];
  return calls.map(({ request, reply }) => {
    const seen = normalise(request.messages);
    const recorded = fold(seen, before, {
      by,
      ...(reply.toolCalls.length === 0
        ? { says: reply.content }
        : {
            calls: reply.toolCalls.map((call) => ({ [call.name]: JSON.parse(call.arguments) })),
          }),
    });
    before = seen;
    return recorded;
  });
}

if (options.help) console.log(usage);
else {
  const names = options.live ? options.model : ['recorded'];
  if (names.length === 0) throw new Error(`Name a model.\n${usage}`);
  const rows: EvalRow[] = [];
  for (const name of names)
    rows.push(...(options.live ? await runAllLive(name) : await runAllRecorded()));
  console.log(writeTable(rows));
  if (rows.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

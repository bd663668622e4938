// Files attached in Teams, by addresses never stored in clear.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, propose, resultsIn } from '../../fixtures/model-calls.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  start,
  type Turn,
} from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { reach } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, type TeamsInstanceOptions, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
let model: OpenAiDouble;
let reply: (body: ChatBody) => Turn = () => ({ status: 400 });

beforeAll(async () => {
  model = await start({ script: (body) => reply(body) });
});
afterAll(() => model.close());

const wordsOf = (body: ChatBody) => body.messages.map(({ content }) => content ?? '').join('\n');
const idIn = (text: string, name: string) =>
  new RegExp(`file "${name}" \\([^)]*id ([\\d.]+)\\)`).exec(text)?.[1];

const key = Buffer.alloc(32, 7).toString('base64');

/** @returns what the model read of each */
async function read(
  names: string[],
  { encryptionKey = key, ...options }: TeamsInstanceOptions & { encryptionKey?: string } = {},
) {
  const { teams, instance } = await useTeamsInstance(database, {
    settings: { http: { allowPrivate: ['127.0.0.1'] } },
    ...options,
    env: {
      OPENAI_BASE_URL: model.url,
      ...(encryptionKey === '' ? {} : { COUNTERSIGN_ENCRYPTION_KEY: encryptionKey }),
    },
  });
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  const attachments = names.map((name) => teams.attach(name, Buffer.from(`Text of ${name}`)));
  const from = model.requests.length;
  reply = (body) => {
    const at = resultsIn(body).length;
    const name = names[at];
    const listed = wordsOf(model.requests[from] ?? body);
    if (name !== undefined) return call('read_file', { id: idIn(listed, name) ?? 'none' });
    const args = { file: idIn(listed, names[0] ?? '') ?? 'none', path: 'in.txt' };
    const step = draftStep('1', 'Keep it', 'chat_save_file', args);
    return propose({ title: 'Keep it', steps: [step], confidence: 0.9 });
  };
  await teams.say(ana, chat, 'keep the first file', { attachments });
  const card = await awaitMessage(teams, chat.id, '"approve"');
  const last = model.requests.at(-1);
  if (last === undefined) throw new Error('The model was not asked.');
  return { teams, instance, ana, card, listed: wordsOf(last), results: resultsIn(last) };
}

test('an attached file is read and kept, and its address is nowhere in clear', async () => {
  const { teams, instance, ana, card, results } = await read(['costs.csv', 'plan.txt']);
  expect(results[0]).toContain('Text of costs.csv');
  expect(results[1]).toContain('Text of plan.txt');
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.activity))?.[0] ?? '';
  await teams.press(ana, card, 'Approve');
  await reach(instance, id, 'completed');
  expect(await readFile(join(instance.workspace, 'in.txt'), 'utf8')).toBe('Text of costs.csv');
  const { rows: tables } = await instance.db.query.execute<{ name: string }>(sql`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('countersign', 'pgboss') and table_type = 'BASE TABLE'`);
  for (const { name } of tables) {
    const { rows } = await instance.db.query.execute<{ found: boolean }>(
      sql`select exists (select from ${sql.raw(name)} as t where t::text like ${'%tempauth%'}) as found`,
    );
    expect(rows, name).toEqual([{ found: false }]);
  }
  const { rows } = await instance.db.query.execute<{ body: string }>(
    sql`select convert_from(body, 'utf8') as body from countersign.inbox`,
  );
  expect(rows.map(({ body }) => body).join('\n')).toContain('sealedUrl');
  expect(rows.map(({ body }) => body).join('\n')).not.toContain('tempauth');
  expect(JSON.stringify(model.requests)).not.toMatch(/tempauth|sealedUrl/);
});

test.each<[string, Parameters<typeof read>[1], string]>([
  ['at a private address', { settings: {} }, 'could not be downloaded'],
  ['without an encryption key', { encryptionKey: '' }, 'not attached in this conversation'],
])('a file %s is listed and not read', async (_, options, why) => {
  const { listed, results } = await read(['secret.txt'], options);
  expect(listed).toContain('file "secret.txt" (txt');
  expect(results[0]).toContain(why);
  expect(results[0]).not.toContain('tempauth');
});

test('a step that comes after the address has expired says so', async () => {
  const { teams, instance, ana, card } = await read(['a.txt']);
  teams.expireFiles();
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.activity))?.[0] ?? '';
  await teams.press(ana, card, 'Approve');
  const failed = await waitFor('the step to stop', async () => {
    const { steps } = await instance.service.listSteps(id, { limit: 1 });
    return steps.find(({ error }) => error !== null);
  });
  expect(failed.error?.message).toContain('download link has expired. Attach it again.');
});

// Every job of one workspace leaves the other's data alone.
import { hash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { type JobName, jobPayloads } from '#domain/jobs.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { queuesFor } from '#jobs/queues.ts';
import { call, proposeFiles, resultsIn } from '../../fixtures/model-calls.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { type ChatBody, start, type Turn } from '../../fixtures/openai-double.ts';
import { partIn, planFiles, scaffold, submitAgain } from '../../fixtures/parts.ts';
import { add } from '../../fixtures/slack/browser.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { openReceiver } from '../../fixtures/webhook-receiver.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import {
  addPlace,
  ask,
  planOf,
  useInstallInstance,
  type WorkspacePlace,
} from './install-instance.ts';

const database = useDatabase();
const dayMs = 86_400_000;
// In all texts of one workspace only.
const words = ['Quetzal', 'Axolotl'] as const;
type Word = (typeof words)[number];
// Must not contain the words.
const fileOf = (word: string) => String([...words, ''].indexOf(word));

function answer(body: ChatBody): Turn {
  const context = JSON.stringify(body.messages);
  const word = words.find((one) => context.includes(one)) ?? 'nobody';
  const file = `${fileOf(word)}.txt`;
  const part = partIn(body);
  if (part !== null) return planFiles([{ id: '1', path: `${fileOf(word)}/${part}.txt` }]);
  if (!context.includes('all regions'))
    return proposeFiles([file], { title: `${word} asked for this` });
  const results = resultsIn(body);
  if (results.length === 0)
    return call('request_data', {
      operation: 'workspace_read',
      args: { path: file },
      why: `${word} wants it`,
    });
  return results.length === 1 ? scaffold([{ id: 'north' }, { id: 'south' }]) : submitAgain;
}

type Home = { place: WorkspacePlace; word: Word; actor: Actor };

async function openHomes() {
  const model = await start({ script: answer });
  const receiver = await openReceiver();
  onTestFinished(async () => {
    await model.close();
    await receiver.close();
  });
  const use = await useInstallInstance(database, {
    planner: null,
    env: { OPENAI_BASE_URL: model.url },
    settings: {
      http: { allowPrivate: ['127.0.0.1'] },
      webhooks: [{ url: receiver.url, secret: receiver.secret, shared: true }],
      retention: { archive: false },
    },
  });
  // For retries.
  await use.instance.db.query.execute(
    sql`truncate countersign.slack_installations, countersign.slack_workspaces, countersign.chat_places`,
  );
  const homes: Home[] = [];
  for (const word of words) {
    const place = addPlace(use.slack, word);
    await add(use, place.user);
    await use.slack.inviteApp(place.user.id, place.channel);
    const tenant = `slack:${place.workspace.id}`;
    homes.push({
      place,
      word,
      actor: { ...person(`${tenant}:${place.user.id}`, 'slack'), tenant },
    });
  }
  return { ...use, model, receiver, homes };
}
type Use = Awaited<ReturnType<typeof openHomes>>;

async function send(instance: TestInstance, name: JobName): Promise<void> {
  await instance.db.query.execute(sql`insert into pgboss.job (name, data) values (${name}, '{}')`);
  // Notifies like pg-boss; otherwise the next poll is waited for.
  const channel = `pgboss_${hash('sha224', 'pgboss', 'hex').slice(0, 24)}`;
  await instance.db.query.execute(sql`select pg_notify(${channel}, ${name})`);
}

async function countJobs(instance: TestInstance, since: Date): Promise<Map<string, number>> {
  const { rows } = await instance.db.query.execute<{ name: string; n: number }>(sql`
    select name, count(*)::int as n from pgboss.job
    where state = 'completed' and completed_on >= ${since.toISOString()}::timestamptz group by name`);
  return new Map(rows.map(({ name, n }) => [name, n]));
}

async function quiet({ instance, slack }: Use): Promise<void> {
  await waitFor('every job to be done', async () => {
    const { rows } = await instance.db.query.execute<{ n: number }>(sql`
      select count(*)::int as n from pgboss.job
      where state in ('created', 'retry', 'active') and start_after < now() + interval '1 minute'`);
    return rows[0]?.n === 0;
  });
  await slack.settle();
}

/** @returns the ids of its plans and requests */
async function live(use: Use, { place, word, actor }: Home): Promise<string[]> {
  const { instance, slack } = use;
  const { service, db } = instance;
  // inbox, plan, deliver, card, execute, webhook
  const { card, root } = await ask(use, place, `write for ${word}`);
  const asked = planOf(card);
  await slack.press(place.user.id, card, 'countersign:approve');
  await reach(instance, asked, 'completed');
  await waitFor('the outcome', async () =>
    slack.replies(place.channel, root).some(({ text }) => text.includes('is done')),
  );
  // homes
  await slack.openHome(place.user.id);
  await waitFor('the Home', async () => slack.home(place.user.id) !== undefined);
  // request, expand
  const { run_id } = await service.startRun(
    { text: `Write up all regions of ${word}`, planning_mode: 'extensive' },
    actor,
  );
  const { plan_id: large = '' } = await settled(instance, run_id);
  expect((await service.overview(large)).counts.pending).toBe(2);
  // remind, and step for future ones
  const due = new Date(Date.now() + 2500).toISOString();
  const reminder = draftStep('r', `Remind ${word}`, 'reminder_set', {
    text: `Think of ${word}`,
    at: due,
  });
  const later = { ...noop('later'), not_before: due };
  const title = `${word} is reminded`;
  const reminding = await service.propose({ title, steps: [reminder, later] }, {}, actor);
  const { version, digest } = reminding;
  await service.approve(reminding.id, { version, digest }, actor);
  await reach(instance, reminding.id, 'completed');
  await waitFor('the reminder', async () => {
    const { rows } = await db.query.execute(
      sql`select from countersign.messages where text like ${`%Think of ${word}%`}`,
    );
    return rows.length > 0;
  });
  // expire
  const stale = await service.propose({ title: `${word} waits`, steps: [noop('a')] }, {}, actor);
  const longAgo = new Date(Date.now() - 400 * dayMs).toISOString();
  await db.query.execute(sql`
    update countersign.plan_versions set created_at = ${longAgo}::timestamptz where plan_id = ${stale.id}`);
  await send(instance, 'expire');
  await reach(instance, stale.id, 'cancelled');
  // shift
  await send(instance, 'shift');
  // retention
  await db.query.execute(sql`
    update countersign.plans set created_at = ${longAgo}::timestamptz, updated_at = ${longAgo}::timestamptz,
      execution_ended_at = ${longAgo}::timestamptz where id = ${stale.id}`);
  await send(instance, 'retention');
  await waitFor('the plan to be deleted', async () => {
    const { rows } = await db.query.execute(
      sql`select from countersign.plans where id = ${stale.id}`,
    );
    return rows.length === 0;
  });
  await quiet(use);
  const { rows } = await db.query.execute<{ run: string }>(
    sql`select run_id as run from countersign.plans where id = ${asked} and run_id is not null`,
  );
  expect(rows).toHaveLength(1);
  return [asked, large, reminding.id, run_id, ...rows.map(({ run }) => run)];
}

// Without data rebuilt on any change of the instance.
async function readRows({ db }: TestInstance, marks: string[]): Promise<Record<string, string[]>> {
  const { rows: tables } = await db.query.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'countersign' and table_type = 'BASE TABLE' and table_name <> 'chat_homes' order by 1`);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await db.query.execute<{ row: string }>(sql`
      select t::text as row from ${sql.identifier('countersign')}.${sql.identifier(name)} t
      where t::text like any (${sql.param(marks.map((mark) => `%${mark}%`))}::text[]) order by 1`);
    if (rows.length > 0) found[name] = rows.map(({ row }) => row);
  }
  return found;
}

const marksOf = ({ place: { workspace, user, channel }, word }: Home, ids: string[]) => [
  ...[workspace.id, user.id, channel, word],
  ...ids,
];

test('what is done for one workspace touches nothing of another, whichever job does it', async () => {
  const use = await openHomes();
  const { instance, slack, model, receiver, homes } = use;
  const [theirs, ours] = homes;
  if (theirs === undefined || ours === undefined) throw new Error('There are two.');
  const theirIds = await live(use, theirs);
  const theirMarks = marksOf(theirs, theirIds);
  const before = await readRows(instance, theirMarks);
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['plans', 'runs', 'messages', 'planning_parts', 'plan_requests']),
  );
  const theirHome = slack.home(theirs.place.user.id)?.blocks;
  const since = new Date();
  const sent = slack.calls.length;

  const ourIds = await live(use, ours);

  const done = await countJobs(instance, since);
  const ran = Object.keys(jobPayloads).filter((name) =>
    queuesFor(['slack']).some(
      (queue) => queue.name.split('-')[0] === name && (done.get(queue.name) ?? 0) > 0,
    ),
  );
  expect(ran.sort()).toEqual(Object.keys(jobPayloads).sort());

  expect(await readRows(instance, theirMarks)).toEqual(before);
  expect(slack.home(theirs.place.user.id)?.blocks).toEqual(theirHome);
  for (const rows of Object.values(await readRows(instance, marksOf(ours, ourIds))))
    for (const row of rows) for (const mark of theirMarks) expect(row).not.toContain(mark);

  const isOf = (team: string | null) => homes.find(({ place }) => place.workspace.id === team);
  const posted = slack.calls.slice(sent).filter(({ method }) => /^(chat|views)\./.test(method));
  expect(posted.length).toBeGreaterThan(3);
  for (const { team, parameters } of posted) {
    const other = words.find((word) => word !== isOf(team)?.word) ?? '';
    expect(JSON.stringify(parameters)).not.toContain(other);
    if (team === theirs.place.workspace.id) expect(parameters.user_id).toBe(theirs.place.user.id);
  }
  for (const { messages } of model.requests) {
    const leaked = words.filter((word) => JSON.stringify(messages).includes(word));
    expect(leaked).toHaveLength(1);
  }
  const received = receiver.received.filter(({ data }) => ourIds.includes(data.plan?.id ?? ''));
  expect(received.length).toBeGreaterThan(5);
  for (const event of received) expect(JSON.stringify(event)).not.toContain(theirs.word);
});

// "Every" over more files than a listing has: with the real planner, a person's press or typed word decides whether a part is planned.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import '../setup/watch-every-test.ts';
import { clearInbox, settled } from '../integration/inbox/bench.ts';
import { useDesk } from '../integration/slack/desk.ts';
import { useDatabase } from '../setup/database.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const wide = { timeoutMs: 60_000 };

async function ask() {
  const desk = await useDesk(database, { own: true });
  const { slack, ana, channel, instance } = desk;
  await clearInbox(instance);
  const folder = join(instance.workspace, 'data');
  await mkdir(folder, { recursive: true });
  const make = 'seq -f "f%05g" 1 20010 | xargs touch';
  await promisify(execFile)('bash', ['-c', make], { cwd: folder });
  const { message } = await slack.mention(
    ana.id,
    channel,
    'For each file in data: delete &lt;path&gt;',
  );
  const card = await waitFor(
    'the question',
    async () =>
      slack
        .replies(channel, message.ts)
        .findLast(({ blocks }) => JSON.stringify(blocks).includes('countersign:session_answer')),
    wide,
  );
  const text = JSON.stringify(card.blocks);
  expect(text).toContain('20,000 of at least 20,001');
  const before = new Set(
    (await instance.service.listPlans({ limit: 100 })).plans.map(({ id }) => id),
  );
  const plans = async () =>
    (await instance.service.listPlans({ limit: 100 })).plans.filter(({ id }) => !before.has(id));
  return { ...desk, root: message.ts, card, text, plans };
}

test('the button plans what was listed, and says first what was not', async () => {
  const { slack, ana, card, text, plans, instance } = await ask();
  expect(await plans()).toEqual([]);
  const [offer = ''] = /countersign:session_answer[^"]*/.exec(text) ?? [];
  await slack.press(ana.id, card, offer);
  const [plan] = await waitFor(
    'a plan',
    async () => {
      const all = await plans();
      return all.length > 0 && all;
    },
    wide,
  );
  const { risks, counts } = await instance.service.getPlan(plan?.id ?? '');
  expect(risks[0]?.text).toContain('20,000 of at least 20,001');
  expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(20_000);
}, 120_000);

test.each([
  ['Plan these 20,000 only', true],
  ['1', true],
  ["I'll narrow it down", false],
  ['all of them', false],
  ['Cancel', false],
])(
  '“%s”, typed, plans a part only if it says so',
  async (words, isPlanned) => {
    const { slack, ana, channel, instance, plans, root } = await ask();
    await slack.say(ana.id, channel, words, { thread_ts: root });
    await settled(instance);
    await waitFor(
      'an answer',
      async () => {
        const { rows } = await instance.db.query.execute<{ open: number }>(
          sql`select count(*)::int as open from countersign.runs where planning_status = 'running'`,
        );
        return rows[0]?.open === 0;
      },
      wide,
    );
    expect(await plans()).toHaveLength(isPlanned ? 1 : 0);
  },
  120_000,
);

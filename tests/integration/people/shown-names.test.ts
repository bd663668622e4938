// Display names have no effect on decisions.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { foldName } from '#domain/people/names.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
let other: TestInstance;
beforeAll(async () => {
  [instance, other] = await Promise.all([
    openTestInstance(database.url, { work: false }),
    openTestInstance(database.url, { work: false }),
  ]);
});
afterAll(async () => {
  await Promise.all([instance.close(), other.close()]);
});
beforeEach(async () => {
  await instance.db.query.execute(
    sql`truncate countersign.identities, countersign.person_names, countersign.messages`,
  );
});

const ana = person('slack:T1:U1', 'slack');
const ben = person('slack:T1:U2', 'slack');

const cardFor = async (id: string, { id: user }: Actor) =>
  drawText(viewPlan(await instance.service.card(id, { user, timezone: 'UTC' })));

async function propose(draft: object = {}, conversation = 'conv-names') {
  const whole = { title: 'Nothing', steps: [noop('1')], ...draft };
  return instance.service.propose(whole, { conversation }, ana);
}

test('a card, a refusal and a list say what a platform calls people, from when it has said it', async () => {
  const { service } = instance;
  const { id, version, digest } = await propose();
  expect(await cardFor(id, ben)).toContain('Waiting for slack:T1:U1');
  await service.noteName(ana.id, 'Ana García');
  expect(await cardFor(id, ben)).toContain('Waiting for Ana García');
  expect(await cardFor(id, ana)).toContain('Waiting for you');
  await expect(service.approve(id, { version, digest }, ben)).rejects.toMatchObject({
    message: expect.stringContaining('Only Ana García can approve'),
  });
  await service.noteName(ana.id, 'Ana G.');
  await service.approve(id, { version, digest }, ana);
  expect(await cardFor(id, ben)).toContain('Approved by Ana G.,');
  expect((await service.getPlan(id)).approvals).toMatchObject([{ by: ana.id }]);
  const part = { version, digest, steps: ['1'] };
  await expect(service.approve(id, part, ana)).rejects.toMatchObject({
    message: expect.stringContaining('Decided by Ana G. at'),
  });
});

test('what is said of somebody has their name, and a name that has changed stands in what is said after it', async () => {
  const { service } = instance;
  const { id } = await propose({ approvers: { kind: 'named', people: [ben.id] } }, 'conv-said');
  const change = async (step: string, by: Actor) => {
    const { revision } = await service.getPlan(id);
    const operations = [{ op: 'add_step' as const, step: noop(step) }];
    await service.patch(id, { base_revision: revision, operations }, by);
  };
  await service.noteName(ben.id, 'Ben');
  await change('2', ben);
  await service.noteName(ben.id, 'Benjamin');
  await change('3', ben);
  await service.noteName(ben.id, 'ben@example.com');
  await change('4', ben);
  const page = await service.messages('conv-said', { limit: 10 });
  expect(page.map(({ text }) => / was changed by (.*): version /.exec(text)?.[1])).toEqual([
    'Ben',
    'Benjamin',
    'slack:T1:U2',
  ]);
});

test('two of one name are told apart, on a card that has only one of them too, until they are one person', async () => {
  const { service } = instance;
  const { id } = await propose();
  await Promise.all([
    service.noteName(ana.id, 'Ana García'),
    service.noteName('ana@example.com', 'ana  GARCÍA'),
  ]);
  expect(await cardFor(id, ben)).toContain('Waiting for Ana García (slack:T1:U1)');
  await instance.db.query.execute(sql`
    insert into countersign.identities (account, person)
    values (${ana.id}, 'ana@example.com'), ('ana@example.com', 'ana@example.com')`);
  expect(await cardFor(id, ben)).toContain('Waiting for Ana García ·');
});

test('two processes that hear different names at once keep one of them, whole', async () => {
  for (let round = 0; round < 5; round++) {
    const named = (by: string) => Array.from({ length: 10 }, (_, n) => `Ana ${by} ${round} ${n}`);
    const [here, there] = [named('here'), named('there')];
    await Promise.all([
      ...here.map((name) => instance.service.noteName(ana.id, name)),
      ...there.map((name) => other.service.noteName(ana.id, name)),
    ]);
    const shown = (await instance.service.shownNames([ana.id])).get(ana.id) ?? '';
    expect([...here, ...there]).toContain(shown);
    expect((await other.service.shownNames([ana.id])).get(ana.id)).toBe(shown);
    const { rows } = await instance.db.query.execute(
      sql`select account, name, folded from countersign.person_names`,
    );
    expect(rows).toEqual([{ account: ana.id, name: shown, folded: foldName(shown) }]);
  }
});

test('a name that one process has heard is what the other shows, and another one it hears later stands for both', async () => {
  await instance.service.noteName(ana.id, 'Ana García');
  expect(await other.service.shownNames([ana.id])).toEqual(new Map([[ana.id, 'Ana García']]));
  await other.service.noteName(ana.id, 'Ana G.');
  expect(await instance.service.shownNames([ana.id])).toEqual(new Map([[ana.id, 'Ana G.']]));
});

test('a name decides nothing: whoever calls themselves as another is known is told apart and refused', async () => {
  const { service } = instance;
  const { id, version, digest } = await propose({ approvers: { kind: 'named', people: ['ana'] } });
  await service.noteName(ben.id, 'ana');
  await expect(service.approve(id, { version, digest }, ben)).rejects.toMatchObject({
    code: 'not_allowed',
  });
  await service.noteName(ana.id, 'ben@example.com');
  expect(await service.shownNames([ana.id, ben.id, 'ana'])).toEqual(
    new Map([[ben.id, 'ana (slack:T1:U2)']]),
  );
});

test('a person of several accounts is called as one of them is', async () => {
  const mail = 'ana@example.com';
  await instance.db.query.execute(
    sql`insert into countersign.identities (account, person) values (${ana.id}, ${mail}), (${mail}, ${mail})`,
  );
  await instance.service.noteName(mail, 'Ana García');
  expect(await instance.service.shownNames([ana.id])).toEqual(new Map([[ana.id, 'Ana García']]));
  const { id } = await propose({ approvers: { kind: 'named', people: [ana.id, mail] } });
  // Linked accounts share the name.
  expect(await instance.service.shownNames(['teams:X1:O1'])).toEqual(new Map());
  await instance.db.query.execute(
    sql`insert into countersign.identities (account, person) values ('teams:X1:O1', ${mail})`,
  );
  await instance.db.query.execute(sql`update countersign.person_names set account = 'teams:X1:O1'`);
  expect([...(await instance.service.shownNames([ana.id, mail])).values()]).toEqual([
    'Ana García',
    'Ana García',
  ]);
  expect(await cardFor(id, ben)).toContain('Waiting for Ana García ·');
});

test.each([
  ['Ben', [], 'for Ben, a name that no account here has'],
  ['@Ben', ['Ben'], 'for @Ben, a name that no account here has'],
  ['Ben', ['Ben', 'Ben'], 'for Ben, a name that several here have'],
  ['ben@example.com', [], 'Asks ben@example.com'],
  ['slack:T1:U1', [], 'Asks slack:T1:U1'],
])(
  'a question to %s says before the approval whether anybody is meant',
  async (assignee, called, warning) => {
    await Promise.all(
      called.map((name, index) =>
        instance.service.noteName(`slack:T1:U${called.length}${index}`, name),
      ),
    );
    const ask = {
      ...draftStep('ask', 'Ask', 'human_task'),
      args: { question: 'Well?', assignee },
    };
    const { id } = await propose({ steps: [ask] }, `slack-${'0'.repeat(32)}`);
    expect(await cardFor(id, ben)).toContain(warning);
    const elsewhere = await propose({ steps: [ask] });
    expect(await cardFor(elsewhere.id, ben)).not.toContain(', a name that');
  },
);

test('a task, and who asks for it, are said by the names that readers know, whatever a plan writes', async () => {
  await instance.service.noteName(ben.id, 'Ben <!channel>');
  const ask = draftStep('ask', 'Ask', 'human_task', { question: 'Well?', assignee: ben.id });
  const { id } = await propose({ steps: [ask] });
  expect(await cardFor(id, ana)).toContain('for “Ben <!channel>”');
});

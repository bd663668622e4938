// People's memories: stored once, limited, private.
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { readLatestMessages } from '#db/chat/messages.ts';
import { storePlace } from '#db/chat/places.ts';
import { storePerson } from '#db/people/identities.ts';
import { ownerOfPerson, readMemory, storeMemory } from '#db/people/memory.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { memoryLimits } from '#domain/people/memory-note.ts';
import { changeAudit } from '../../setup/audit.ts';
import { useInstance } from '../../setup/use-instance.ts';

const ana = person('ana', 'console');
const ben = person('ben', 'console');
const channel = { platform: 'slack', tenant: 'T1', channel: 'C1' } as const;
const thread = (root: string) => ({ ...channel, thread: root });

const instance = useInstance({ work: false });
beforeEach(() =>
  changeAudit(
    instance.db,
    sql`truncate countersign.memory, countersign.identities, countersign.audit`,
  ),
);

async function say(conversation: string, text: string, actor: Actor = ana) {
  await instance.service.say(conversation, text, actor);
  const messages = await readLatestMessages(instance.db.query, conversation, 1);
  return messages.at(-1)?.text ?? '';
}

async function readAuditEntries(): Promise<string[]> {
  const { rows } = await instance.db.query.execute<{ deed: string }>(
    sql`select actor || ': ' || action as deed from countersign.audit order by id`,
  );
  return rows.map(({ deed }) => deed);
}

const textsOf = async ({ id }: Actor) =>
  (await instance.service.listMemory(id, person(id, 'api'))).map(({ text }) => text);

async function openChannel(root: string): Promise<string> {
  await instance.db.transaction((tx) => storePlace(tx, thread(root), null));
  return conversationAt(thread(root));
}

describe('words about memory', () => {
  test('keep, show and drop what a person said, with an entry in the audit log, and no planner is asked', async () => {
    const kept = await say('m1', 'Please remember that Ana is ana@example.com');
    expect(kept).toMatch(/^I'll remember “Ana is ana@example\.com”\. To undo, say “forget \d+”\.$/);
    const shown = await say('m1', 'What do you remember?');
    expect(shown).toMatch(/^What I remember for you:\n\d+\. “Ana is ana@example\.com”\n/);
    expect(await say('m1', 'forget Ana is ana@example.com')).toBe(
      'Forgotten: “Ana is ana@example.com”.',
    );
    expect(await textsOf(ana)).toEqual([]);
    expect(await readAuditEntries()).toEqual(['ana: remember', 'ana: forget']);
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.runs where conversation = 'm1' and planning_status <> 'complete'`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('said to a run begin no turn of it', async () => {
    const { run_id } = await instance.service.startRun({ text: 'Do it', conversation: 'm2' }, ana);
    await instance.service.reply(run_id, 'remember that we ship on Fridays', ana);
    expect(await textsOf(ana)).toEqual(['we ship on Fridays']);
    expect(await instance.service.getRun(run_id)).toMatchObject({ turn: 1 });
  });

  test('say that there is no such number, and leave a part of an entry to the planner', async () => {
    await say('m3', 'remember that rent is 900');
    await say('m3', 'remember that rent is due on Monday');
    expect(await say('m3', 'forget rent')).toBe('forget rent');
    expect(await say('m3', 'forget 999999')).toContain('There is no entry 999999.');
    expect(await textsOf(ana)).toHaveLength(2);
  });

  test('said twice under one name are kept once', async () => {
    const twice = { once: 'slack:T1:C9:1' };
    const text = 'remember that we use UTC';
    await Promise.all([1, 2].map(() => instance.service.say('m4', text, ana, twice)));
    expect(await textsOf(ana)).toEqual(['we use UTC']);
  });
});

describe('who sees it', () => {
  test('in a channel it is everybody’s there, in each of its threads, and a person’s own is not shown', async () => {
    await say('private', 'remember that my salary is 5000', ana);
    const [one, two] = [await openChannel('1.1'), await openChannel('2.2')];
    expect(await say(one, 'what do you remember?', ana)).toContain('Nothing yet for this channel.');
    await say(one, 'remember that the build runs at 6', ana);
    expect(await say(two, 'what do you remember?', ben)).toContain('the build runs at 6');
    expect(await say(two, 'what do you remember?', ana)).not.toContain('salary');
    expect(await textsOf(ana)).toEqual(['my salary is 5000']);
    expect(await say(two, 'forget the build runs at 6', ben)).toContain('Forgotten');
  });

  test('nobody else changes or forgets an entry by its number', async () => {
    const { id } = await instance.service.keepMemory('ana', { text: 'mine', name: null }, ana);
    expect(await say('bens', `forget ${id}`, ben)).toContain('There is no entry');
    const { service } = instance;
    const note = { text: 'taken', name: null };
    await expect(service.forgetMemory('ben', id, ben)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(service.editMemory('ana', id, note, ben)).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await expect(service.listMemory('ana', ben)).rejects.toMatchObject({
      code: 'not_allowed',
    });
    expect(await textsOf(ana)).toEqual(['mine']);
  });

  test('linked accounts share theirs; unlinked, each has what it kept', async () => {
    const other = person('slack:T1:U7', 'slack');
    await instance.service.keepMemory('ana', { text: 'A', name: null }, ana);
    await instance.service.keepMemory(other.id, { text: 'B', name: null }, other);
    await instance.db.transaction((tx) => storePerson(tx, ['ana', other.id], 'ana'));
    expect(await textsOf(other)).toEqual(['B', 'A']);
    await instance.db.query.execute(sql`truncate countersign.identities`);
    expect(await textsOf(ana)).toEqual(['A']);
    expect(await textsOf(other)).toEqual(['B']);
  });
});

describe('an entry', () => {
  test('of the same name takes the place of the one before', async () => {
    const keep = (text: string, name: string | null) =>
      instance.service.keepMemory('ana', { text, name }, ana);
    const before = await keep('old@example.com', 'Ana');
    const after = await keep(' new@\n example.com ', 'ana');
    expect(after).toMatchObject({ id: before.id, text: 'new@ example.com' });
    expect(await textsOf(ana)).toHaveLength(1);
  });

  test('that is renamed to a taken name takes the place of both', async () => {
    const keep = (text: string, name: string) =>
      instance.service.keepMemory('ana', { text, name }, ana);
    await keep('old@example.com', 'Don’t');
    const { id } = await keep('new@example.com', 'Do');
    const note = { text: 'new@example.com', name: "don't" };
    await instance.service.editMemory('ana', id, note, ana);
    expect(await instance.service.listMemory('ana', ana)).toMatchObject([{ id, ...note }]);
  });

  test('beyond the limit is refused and nothing is dropped, however many come at once', async () => {
    await instance.db.query.execute(sql`
      insert into countersign.memory (scope, owner, text, source)
      select 'person', 'ana', 'fact ' || n, '{"kind":"set"}' from generate_series(1, ${memoryLimits.entries - 1}::int) n`);
    const owner = await ownerOfPerson(instance.db.query, 'ana');
    const kept = await Promise.all(
      ['x', 'y', 'z'].map((text) =>
        instance.db.transaction((tx) =>
          storeMemory(tx, owner, { text, name: null }, { kind: 'set' }),
        ),
      ),
    );
    expect(kept.filter((entry) => entry !== null)).toHaveLength(1);
    expect(await readMemory(instance.db.query, [owner])).toHaveLength(memoryLimits.entries);
    expect(await say('full', 'remember that it is full')).toMatch(
      /^My memory here is full \(100 entries\), so I didn't keep “it is full”\. Say /,
    );
    await expect(
      instance.service.keepMemory('ana', { text: 'more', name: null }, ana),
    ).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.not.stringContaining('Say'),
    });
  });
});

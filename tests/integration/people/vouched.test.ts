// Only people vouched for by a chat platform count as approvers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Actor, person, type Surface } from '#domain/people/actor.ts';
import { isSamePerson } from '#domain/people/names.ts';
import type { ApproverPolicy, Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';

const database = useDatabase();
let instance: TestInstance;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
});
afterAll(() => instance.close());

const anaInSlack = person('ana@corp.example', 'slack');
const benInTeams = person('ben@corp.example', 'teams');
const cleoInSlack = person('slack:T1:CLEO', 'slack');
const people = [anaInSlack.id, benInTeams.id, cleoInSlack.id];
const twoOf: ApproverPolicy = { kind: 'n_of', n: 2, people };

function propose(approvers: ApproverPolicy, by: Actor, conversation?: string): Promise<Plan> {
  const draft = { title: 'Something', steps: [noop('1')], approvers };
  return instance.service.propose(draft, conversation === undefined ? {} : { conversation }, by);
}
const { approve } = readsOf(() => instance);
const cardFor = (plan: Plan, user: string) =>
  instance.service.card(plan.id, { user, timezone: 'UTC' });

const typed: Surface[] = ['api', 'console', 'terminal'];

describe('A name that was typed', () => {
  test.each(typed)('in the %s is nobody of N of M, though the rule names it', async (via) => {
    const plan = await propose(twoOf, anaInSlack);
    for (const id of people) {
      await expect(approve(plan, person(id, via))).rejects.toMatchObject({
        code: 'not_allowed',
        message: expect.stringContaining(
          'two people who signed in, or are known from Slack or Teams',
        ),
      });
    }
    expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
  });

  test.each(typed)('in the %s is nobody other than the requester', async (via) => {
    const plan = await propose({ kind: 'not_requester' }, person('mallory', via));
    for (const id of ['Mallory', 'boss', benInTeams.id]) {
      await expect(approve(plan, person(id, via))).rejects.toMatchObject({
        code: 'not_allowed',
        message: expect.stringContaining('who signed in, or '),
      });
    }
  });

  test('cannot ask for what whoever typed it approves: two people then have to', async () => {
    const plan = await propose({ kind: 'not_requester' }, person('ghost', 'api'));
    expect((await approve(plan, benInTeams)).status).toBe('proposed');
    await expect(approve(plan, person('boss', 'api'))).rejects.toMatchObject({
      code: 'not_allowed',
    });
    expect((await approve(plan, cleoInSlack)).status).toBe('approved');
  });

  test('is refused on a machine without accounts with what to set up, and its card says so', async () => {
    const plan = await propose(
      { kind: 'n_of', n: 2, people: ['ana', 'ben'] },
      person('local', 'api'),
    );
    const setUp =
      /two people who signed in, or are known from Slack or Teams.* name people by .* see docs\/approvals\.md/;
    await expect(approve(plan, person('ana', 'console'))).rejects.toThrow(setUp);
    expect((await cardFor(plan, 'ana')).terms.join(' ')).toMatch(setUp);
    expect((await cardFor(plan, 'ana')).may_approve).toBe(false);
  });

  test('that approved for another rule counts where different people are asked for once its person signs in', async () => {
    const guarded = { workspace_delete: twoOf };
    const strict = await openTestInstance(database.url, {
      work: false,
      settings: { guardedApprovers: guarded },
    });
    try {
      const step = draftStep('a', 'Delete it', 'workspace_delete', { path: 'a.md' });
      const { id, version, digest } = await strict.service.propose(
        { title: 'Delete', steps: [step] },
        {},
        anaInSlack,
      );
      const say = (by: Actor) => strict.service.approve(id, { version, digest }, by);
      await say(person(anaInSlack.id, 'api'));
      expect((await say(benInTeams)).status).toBe('proposed');
      expect((await say(anaInSlack)).status).toBe('approved');
    } finally {
      await strict.close();
    }
  });
});

test('accounts of a sign-in without an address are counted by who signed in, and by nobody who types them', async () => {
  const ids = ['corp:A-1', 'corp:B-2'];
  const plan = await propose({ kind: 'n_of', n: 2, people: ids }, anaInSlack);
  await expect(approve(plan, person('corp:A-1', 'api'))).rejects.toThrow(
    /two people who signed in, .*; a typed name proves nothing/,
  );
  for (const id of ['corp:A-1', 'Corp:a-1'])
    await expect(instance.service.link({ do: 'ask' }, person(id, 'terminal'))).rejects.toThrow(
      /^Only a chat platform or a sign-in can say that you are corp:/i,
    );
  for (const [index, id] of ids.entries()) {
    const done = await approve(plan, { ...person(id, 'console'), verified: true });
    expect(done.status).toBe(index === 0 ? 'proposed' : 'approved');
  }
});

test('whoever a rule names can stop a plan, by any surface', async () => {
  const plan = await propose(twoOf, anaInSlack);
  const stopped = await instance.service.cancel(
    plan.id,
    { version: 1 },
    person(benInTeams.id, 'api'),
  );
  expect(stopped.status).toBe('cancelled');
});

test('people whom a platform vouches for count, each once', async () => {
  const plan = await propose(twoOf, anaInSlack);
  expect((await cardFor(plan, anaInSlack.id)).may_approve).toBe(true);
  expect((await approve(plan, anaInSlack)).status).toBe('proposed');
  expect((await approve(plan, person('ANA@corp.example', 'teams'))).status).toBe('proposed');
  expect((await approve(plan, benInTeams)).status).toBe('approved');
});

describe('Addresses and typed names are compared without regard to the case of A to Z', () => {
  test('so the requester is not somebody else in capital letters', async () => {
    const plan = await propose({ kind: 'not_requester' }, anaInSlack);
    for (const id of ['Ana@Corp.Example', '@ana@corp.example', ' ANA@corp.example']) {
      await expect(approve(plan, person(id, 'teams'))).rejects.toMatchObject({
        code: 'not_allowed',
      });
    }
  });

  test.each([
    ['corp:Ana', 'corp:Ａna'],
    ['corp:Ana', 'corp:ana'],
    ['corp:Ana', 'CORP:Ana'],
    ['corp:Ana', 'corp:Ana '],
    ['corp:Ana', 'corp:A\u200bna'],
    ['slack:T1:U1', 'slack:T2:U1'],
    ['teams:T:oid', 'teams:T:29:oid'],
    ['boss@corp.example', 'boſſ@corp.example'],
    ['kim@corp.example', '\u212aim@corp.example'],
    ['irma@corp.example', 'İrma@corp.example'],
    ['irma@corp.example', 'ırma@corp.example'],
    ['strasse@corp.example', 'straße@corp.example'],
    ['nikoσ@corp.example', 'nikoς@corp.example'],
    ['ana@corp.example', 'ａｎａ@corp.example'],
    ['ana@corp.example', 'ana+x@corp.example'],
    ['ana@corp.example', 'ana@corp.example.'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ['ana@corp.example', '\ufeffana@corp.example'],
    ['ünal@corp.example', 'Ünal@corp.example'],
  ])('%s is not %s', async (id, other) => {
    expect(isSamePerson(id, other)).toBe(false);
    const plan = await propose({ kind: 'named', people: [id] }, anaInSlack);
    const actor = { ...person(other, 'console'), verified: true as const };
    await expect(approve(plan, actor)).rejects.toMatchObject({ code: 'not_allowed' });
    expect((await approve(plan, { ...actor, id })).status).toBe('approved');
  });

  test('so the requester, named people and who has written there decide', async () => {
    const own = await propose({ kind: 'requester' }, person('Mallory', 'api'));
    expect((await approve(own, person('mallory', 'api'))).status).toBe('approved');
    const named = await propose({ kind: 'named', people: ['Ben'] }, person('ana', 'api'));
    expect((await approve(named, person('ben', 'api'))).status).toBe('approved');
    const open = await propose({ kind: 'anyone' }, person('ana', 'api'), 'written');
    await instance.service.say('written', 'status', person('Dora', 'api'));
    expect((await approve(open, person('dora', 'api'))).status).toBe('approved');
  });

  test('so a linked account is the same person in other letters', async () => {
    const code = await instance.service.link({ do: 'ask' }, person('Dan@corp.example', 'teams'));
    if (code.kind !== 'code') throw new Error('no code came');
    await instance.service.link({ do: 'use', code: code.code }, person('slack:T1:DAN', 'slack'));
    expect(await instance.service.personOf('dan@corp.example')).toBe('dan@corp.example');
    expect(await instance.service.personOf('slack:T1:DAN')).toBe('dan@corp.example');
    const plan = await propose({ kind: 'not_requester' }, person('slack:T1:DAN', 'slack'));
    await expect(approve(plan, person('DAN@corp.example', 'teams'))).rejects.toMatchObject({
      code: 'not_allowed',
    });
  });
});

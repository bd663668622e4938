// Steps edited by form in Slack, Teams and the terminal: who may, until when, and once.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSession } from '#adapters/terminal/ask.ts';
import { attend } from '#adapters/terminal/attend.ts';
import { openSession } from '#adapters/terminal/session.ts';
import { person } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { BuildChange, Service } from '#domain/service.ts';
import { refusal, refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { findButton } from '../../fixtures/teams/sent-cards.ts';
import { createFakeTerminal, follow } from '../../fixtures/terminal.ts';
import { useDatabase } from '../../setup/database.ts';
import { reach, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { askFor, openWindow, seeCard, useDesk } from '../slack/desk.ts';
import { awaitMessage, useTeamsInstance } from '../teams/teams-instance.ts';

const database = useDatabase();
const instance = useInstance();
const timezone = 'UTC';

const draft: PlanDraft = {
  title: 'Write, then fail',
  steps: [
    draftStep('a', 'Write', 'workspace_write', { path: 'a.md', content: 'Plums', overwrite: true }),
    draftStep('b', 'Fail', 'workspace_read', { path: 'nowhere.md' }, 'a'),
  ],
};
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));

/** `edit` opens the form and enters another content; it returns what the person is shown. */
type Stage = {
  instance: TestInstance;
  plan: string;
  ana: string;
  ben: string;
  edit(who: 'ana' | 'ben', meanwhile?: () => Promise<unknown>): Promise<string>;
};

const json = (value: unknown) => JSON.stringify(value);

const stages: Record<string, () => Promise<Stage>> = {
  async Slack() {
    const desk = await useDesk(database, { planner });
    const { slack, ana } = desk;
    const { card, plan, root } = await askFor(desk, 'plan it', 'countersign:details');
    const openForm = async (who: 'ana' | 'ben') => {
      if (who === 'ben') {
        const failed = await seeCard(desk, root, 'countersign:retry_edited');
        const [action = ''] = /countersign:retry_edited[^"]*/.exec(json(failed.blocks)) ?? [];
        return openWindow(desk, desk.ben, failed, action);
      }
      const review = await openWindow(desk, ana, card, 'countersign:details');
      await slack.press(ana.id, review, 'countersign:edit:0');
      return waitFor('the form', async () =>
        slack.views(ana.id).find((view) => json(view.blocks).includes('workspace_write · ')),
      );
    };
    return {
      ...{ instance: desk.instance, plan: plan.id, ana: 'ana@example.com', ben: 'ben@example.com' },
      async edit(who, meanwhile) {
        const form = await openForm(who);
        if (meanwhile === undefined) return json(form.blocks);
        await meanwhile();
        await slack.submit(ana.id, form, { 'build:field:/content/value': 'Quinces' });
        return json(slack.views(ana.id).at(-1)?.blocks);
      },
    };
  },
  async Teams() {
    const { teams, instance: own } = await useTeamsInstance(database, { planner });
    const people = { ana: teams.addPerson('ana'), ben: teams.addPerson('ben') };
    const chat = teams.addGroup([people.ana, people.ben]);
    await teams.say(people.ana, chat, 'plan it');
    const card = await awaitMessage(teams, chat.id, '"details"');
    return {
      ...{ instance: own, plan: /PLAN-[0-9a-f]{8}/.exec(json(card))?.[0] ?? '' },
      ...{ ana: people.ana.email, ben: people.ben.email },
      async edit(who, meanwhile) {
        const from =
          who === 'ben'
            ? await awaitMessage(teams, chat.id, 'Edit and retry')
            : (await teams.press(people.ana, card, 'Details')).body;
        const title = who === 'ben' ? 'Edit and retry' : 'Edit 1';
        const send = async (data: object) => {
          const activity = teams.describeBuild(people[who], chat, { build: '', ...data });
          return (await teams.send(activity)).body;
        };
        const dialog = await send({ ...findButton(from, title)?.data });
        if (meanwhile === undefined) return json(dialog);
        await meanwhile();
        const inputs = { 'other:/path': 'a.md', 'field:/content': 'Quinces' };
        return json(await send({ ...findButton(dialog, 'Propose change')?.data, ...inputs }));
      },
    };
  },
  async terminal() {
    const { service } = instance;
    const plan = await service.propose(draft, {}, person('ana-t', 'terminal'));
    return {
      ...{ instance, plan: plan.id, ana: 'ana-t', ben: 'ben-t' },
      async edit(who, meanwhile) {
        const terminal = createFakeTerminal({ tty: true, columns: 80 });
        const user = `${who}-t`;
        const options = { user, timezone, text: '', poll_ms: 5 };
        const session = openSession(service, options, terminal);
        const running = runSession(
          session,
          () => attend(session, plan.id),
          () => '',
        );
        if (meanwhile === undefined) await follow(terminal, [[/\[e\]dit and retry/, 'e']]);
        else {
          await follow(terminal, [
            [/\[a\]pprove/, 'e 1'],
            [/Content · multi-line text/, 'Quinces'],
            [/Waits for/, ''],
          ]);
          await waitFor('the last question', async () => /Not before.*› $/s.test(terminal.plain()));
          await meanwhile();
          terminal.type('');
          await follow(terminal, [[/\[q\]uit/, 'q']]);
        }
        await running;
        return json(terminal.plain());
      },
    };
  },
};

const squash = (text: string) => text.replaceAll(/(?:\\n|\\r|\s)+/g, ' ');

async function refusedTo(service: Service, plan: string, who: string, ...changes: BuildChange[]) {
  const viewer = { user: who, timezone };
  const { code, message } = await refusal(
    service.changeStepEdit(plan, { step: 'a' }, changes, viewer, person(who, 'api')),
  );
  return { code, message: squash(json(message).slice(1, -1)) };
}

describe.each(Object.keys(stages))('in %s', (surface) => {
  test('a person who may not decide about the plan gets no form of its failed step', async () => {
    const { instance: own, plan, ana, ben, edit } = await (stages[surface] ?? expect.fail)();
    const { version, digest } = await own.service.getPlan(plan);
    await own.service.approve(plan, { version, digest }, person(ana, 'api'));
    await reach(own, plan, 'failed');
    const refused = await refusedTo(own.service, plan, ben, { kind: 'edit', step: 'b' });
    expect(refused.code).toBe('not_allowed');
    expect(squash(await edit('ben'))).toContain(refused.message);
  });

  test('a form of a plan that no longer waits proposes nothing, and says so', async () => {
    const { instance: own, plan, ana, edit } = await (stages[surface] ?? expect.fail)();
    const shown = await edit('ana', () =>
      own.service.cancel(plan, { version: 1 }, person(ana, 'api')),
    );
    const refused = await refusedTo(own.service, plan, ana, { kind: 'edit', step: 'a' });
    expect(refused.code).toBe('invalid_transition');
    expect(squash(shown)).toContain(refused.message);
    const { patches } = await own.service.listPatches(plan, { limit: 1 });
    expect([patches.length, (await own.service.getPlan(plan)).version]).toEqual([0, 1]);
  });
});

test('a failed step is edited in a terminal, and its change approved there', async () => {
  await rm(join(instance.workspace, 'there.md'), { force: true });
  await writeFile(join(instance.workspace, 'here.md'), 'yes');
  const steps = [draftStep('a', 'Read', 'workspace_read', { path: 'there.md' })];
  const actor = person('ana-f', 'terminal');
  const { id } = await instance.service.propose({ title: 'Read', steps }, {}, actor);
  const terminal = createFakeTerminal({ tty: true, columns: 80 });
  const options = { user: 'ana-f', timezone, text: '', poll_ms: 5 };
  const session = openSession(instance.service, options, terminal);
  const running = runSession(
    session,
    () => attend(session, id),
    () => '',
  );
  await follow(terminal, [
    [/\[a\]pprove/, 'a'],
    [/\[e\]dit and retry/, 'e'],
    [/Path · text/, 'here.md'],
    [/Not before/, ''],
    [/here\.md.*\[a\]pprove/s, 'a'],
  ]);
  await running;
  expect((await instance.service.getPlan(id)).status).toBe('completed');
});

describe('an edit', () => {
  const actor = person('ana-e', 'api');
  const viewer = { user: 'ana-e', timezone };

  async function propose(one: PlanDraft) {
    const { id } = await instance.service.propose(one, {}, actor);
    const act = (step: string, opened: string | undefined, ...changes: BuildChange[]) =>
      instance.service.changeStepEdit(id, { step, opened }, changes, viewer, actor);
    const open = (step: string) => act(step, undefined, { kind: 'edit', step });
    const enter = (content: string): BuildChange[] => [
      { kind: 'fill', entries: { '/content': content } },
      { kind: 'add' },
    ];
    const version = async () => (await instance.service.getPlan(id)).version;
    return { id, act, open, enter, version };
  }

  test('that is sent several times at once is one version, and later nothing more', async () => {
    const { act, open, enter, version } = await propose(draft);
    const { edits } = await open('a');
    const send = () => act('a', edits, ...enter('Quinces'));
    const sent = await Promise.all([send(), send(), send()]);
    expect(sent.map(({ problems }) => problems)).toEqual([[], [], []]);
    expect((await send()).step).toBeNull();
    expect(await version()).toBe(2);
  });

  test('from a form that was opened for an older version, or never kept, proposes nothing', async () => {
    const { act, open, enter, version } = await propose(draft);
    const older = await open('a');
    await act('a', older.edits, ...enter('Quinces'));
    const newer = await open('a');
    for (const opened of [older.edits, 'unknown'])
      expect(await refusalCode(act('a', opened, ...enter('Plums')))).toBe('stale_version');
    expect(await version()).toBe(2);
    expect((await act('a', newer.edits, ...enter('Medlars'))).problems).toEqual([]);
    expect(await version()).toBe(3);
  });

  test('of one argument keeps every other one, and predecessors that the form does not offer', async () => {
    const many = Array.from({ length: 42 }, (_, n) => ({
      ...draftStep(`s${n}`, 'Write', 'workspace_write', {
        ...{ path: `${n}.md`, content: `${'long '.repeat(4000)}\r\n` },
      }),
      ...(n === 0 ? {} : { after: [`s${n - 1}`] }),
    }));
    const { id, act, open } = await propose({ title: 'Many', steps: many });
    const { edits, step } = await open('s1');
    const typed = String(step?.entries['/content']).replaceAll('\r\n', '\n').trimEnd();
    await act(
      's1',
      edits,
      { kind: 'fill', entries: { '/path': 'new.md', '/content': typed } },
      { kind: 'wait', after: [] },
      { kind: 'add' },
    );
    const [changed] = await instance.service.getSteps(id, ['s1']);
    expect(changed?.args).toEqual({ path: 'new.md', content: many[1]?.args?.content });
    expect(changed?.after.map((edge) => edge.id)).toEqual(['s0']);
  });
});

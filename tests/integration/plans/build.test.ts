// Plans built by form, and in the terminal.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSession } from '#adapters/terminal/ask.ts';
import { attend } from '#adapters/terminal/attend.ts';
import { build } from '#adapters/terminal/build.ts';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { openSession } from '#adapters/terminal/session.ts';
import { person } from '#domain/people/actor.ts';
import type { BuildChange } from '#domain/service.ts';
import { createFakeTerminal, follow } from '../../fixtures/terminal.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();
const timezone = 'Europe/Madrid';

function builder(id: string, zone = timezone) {
  const actor = person(id, 'terminal');
  const viewer = { user: id, timezone: zone };
  const { service } = instance;
  return {
    read: () => service.readBuild(viewer, actor),
    change: (...changes: BuildChange[]) => service.changeBuild(changes, viewer, actor),
    preview: () => service.previewBuild(viewer, actor),
    propose: (once?: string) =>
      service.proposeBuild(once === undefined ? {} : { once }, viewer, actor),
  };
}

const write = (path: string, content: string): BuildChange[] => [
  { kind: 'choose', operation: 'workspace_write' },
  { kind: 'fill', entries: { '/path': path, '/content': content } },
  { kind: 'add' },
];

test('an unfinished plan is its person’s own, and is there at the next visit', async () => {
  const ana = builder('ana-1');
  await ana.change(...write('a.md', 'A'));
  await ana.change({ kind: 'choose', operation: 'human_confirm' });
  const again = await ana.read();
  expect(again.plan.steps.map(({ args }) => args)).toEqual([{ path: 'a.md', content: 'A' }]);
  expect(again.step?.form.name).toBe('human_confirm');
  expect((await builder('ben-1').read()).plan.steps).toEqual([]);
});

test('a person who travels finds the same moments in their own time', async () => {
  const ana = builder('ana-8');
  await ana.change(
    { kind: 'choose', operation: 'control_wait' },
    { kind: 'fill', entries: { '/seconds': '1' } },
    { kind: 'wait', at: '2050-01-01 09:30' },
    { kind: 'add' },
  );
  const there = builder('ana-8', 'America/New_York');
  expect((await there.read()).plan.steps[0]?.at).toBe('2050-01-01T03:30');
  await there.change({ kind: 'terms', title: 'Later' });
  const { id } = await ana.propose();
  const { steps } = await instance.service.listSteps(id, { limit: 1 });
  expect(steps[0]?.not_before).toBe('2050-01-01T08:30:00.000Z');
});

test('what is wrong stays with its field, and nothing after it is carried out', async () => {
  const ana = builder('ana-2');
  const { step, problems } = await ana.change(
    { kind: 'choose', operation: 'workspace_write' },
    { kind: 'wait', at: 'whenever' },
    { kind: 'add' },
    { kind: 'terms', title: 'Not reached' },
  );
  expect(step).not.toBeNull();
  expect(problems.map(({ name }) => name)).toEqual(['/path', '/content', 'at']);
  expect((await ana.read()).plan.title).toBe('');
});

test('steps wait, move, go and come back, and a proposal starts an empty build, once', async () => {
  const ana = builder('ana-3');
  await ana.change(...write('1.md', 'one'), ...write('2.md', 'Got {{1/path}}'));
  const { plan } = await ana.change(
    { kind: 'choose', operation: 'control_wait' },
    { kind: 'fill', entries: { '/seconds': '{{2/size}}' } },
    { kind: 'wait', after: ['1'], at: 'tomorrow at 9:00' },
    { kind: 'add' },
    { kind: 'remove', step: '1' },
    { kind: 'undo' },
    { kind: 'terms', title: 'Three steps', repeats: 'FREQ=DAILY', from: '2050-01-01 09:30' },
  );
  expect(plan.steps.map(({ after }) => after)).toEqual([[], ['1'], ['1']]);
  expect(plan.steps[2]?.args).toEqual({ seconds: { $from: '2', path: '/size' } });
  expect(plan.steps[2]?.at).toMatch(/^\d{4}-\d\d-\d\dT09:00$/);
  const [first, second] = await Promise.all([ana.propose('press 3'), ana.propose('press 3')]);
  expect(second.id).toBe(first.id);
  expect(first.title).toBe('Three steps');
  expect((await ana.read()).plan.steps).toEqual([]);
});

test('a proposal does not take a change with it that came meanwhile', async () => {
  const ana = builder('ana-9');
  await ana.change(...write('a.md', 'A'));
  const [first, second] = await Promise.allSettled([ana.propose(), ana.propose()]);
  const states = [first.status, second.status].toSorted();
  expect(states).toEqual(['fulfilled', 'rejected']);
  const refused = first.status === 'rejected' ? first : second;
  expect(refused).toMatchObject({ reason: { code: 'stale_version' } });
  expect((await ana.read()).plan.steps).toEqual([]);
});

test('two changes at the same time both count', async () => {
  const ana = builder('ana-4');
  await ana.change(...write('1.md', 'one'), ...write('2.md', 'two'));
  await Promise.all([
    ana.change({ kind: 'terms', title: 'Both' }),
    ana.change({ kind: 'remove', step: '1' }),
  ]);
  const { plan } = await ana.read();
  expect([plan.title, plan.steps.map(({ id }) => id)]).toEqual(['Both', ['2']]);
});

test('a plan that is too long to keep, or has too many steps, says so', async () => {
  const ana = builder('ana-5');
  await expect(ana.change(...write('1.md', 'x'.repeat(400_000)))).rejects.toMatchObject({
    code: 'limit_exceeded',
  });
  await ana.change(...Array.from({ length: 40 }, () => write('1.md', 'x')).flat());
  const { problems } = await ana.change({ kind: 'choose', operation: 'workspace_read' });
  expect(problems.map(({ name }) => name)).toEqual(['plan']);
});

test('a playbook is a plan of its own, with its own times', async () => {
  const ana = builder('ana-10');
  const problem = async () => (await ana.preview()).problem;
  const fill = { kind: 'fill', entries: { '/text': 'Hi' } } as const;
  await ana.change({ kind: 'choose', operation: 'playbook standup-note' }, fill, { kind: 'add' });
  expect(await problem()).toBeNull();
  await ana.change({ kind: 'edit', step: '1' }, { kind: 'wait', at: 'tomorrow at 9:00' });
  await ana.change({ kind: 'add' });
  expect(await problem()).toContain('has its own times');
  await ana.change({ kind: 'undo' }, ...write('1.md', 'one'));
  expect(await problem()).toContain('the only step');
  await ana.change({ kind: 'remove', step: '2' });
  const { id, title } = await ana.propose();
  expect(title).toBe('Write a note, then move it to the archive');
  const { steps } = await instance.service.listSteps(id, { limit: 5 });
  expect(steps[0]?.args.content).toBe('Hi');
});

test('in a terminal of 80 columns a plan of two steps is built, changed, proposed and run', async () => {
  await mkdir(join(instance.workspace, 'in'), { recursive: true });
  await writeFile(join(instance.workspace, 'in/source.md'), 'From the source');
  const terminal = createFakeTerminal({ tty: true, columns: 80 });
  const running = build(instance.service, { user: 'ana-6', timezone, poll_ms: 5 }, terminal);
  await follow(terminal, [
    [/What should it do/, 'read the text of a file'],
    [/1 {2}Read.*Number, other words/s, '1'],
    [/Path · text.*2 {2}in\/source\.md/s, '2'],
    [/1 {2}Reads in\/source.md.*\[a\]dd/s, 'a'],
    [/What should it do/, 'write a file'],
    [/Number, other words/, '1'],
    [/Path · text/, 'out.md'],
    [/Content · multi-line text/, 'Copied: {{1/text}}'],
    [/Waits for .*Enter keeps 1/, ''],
    [/Not before/, ''],
    [/2 {2}Creates out.md.*after 1.*\[a\]dd/s, 'e 2'],
    [/Path · text.*Enter keeps “out.md”/s, 'copy.md'],
    [/2 {2}Creates copy.md.*\[a\]dd/s, 'd 1'],
    [/△ Step 2 uses the output.*\[a\]dd/s, 'u'],
    [/2 {2}Creates copy.md.*\[a\]dd/s, 't'],
    [/Title ›/, 'Copy the source'],
    [/Copy the source.*\[a\]dd/s, 'p'],
    [/Plan PLAN-.*\[a\]pprove/s, 'a'],
  ]);
  expect(await running).toBe(exitCodes.done);
  expect(await readFile(join(instance.workspace, 'copy.md'), 'utf8')).toBe(
    'Copied: From the source',
  );
  const widest = Math.max(
    ...terminal
      .plain()
      .split(/[\r\n]/)
      .map((line) => line.length),
  );
  expect(widest).toBeLessThanOrEqual(80);
  if (process.env.SHOW === '1') console.log(terminal.plain());
});

test('a step of a waiting plan is edited in the terminal, field by field', async () => {
  const { service } = instance;
  const ana = builder('ana-9');
  await ana.change(...write('a.md', 'Plums'), ...write('b.md', 'Pears'));
  const { id } = await ana.propose();
  const terminal = createFakeTerminal({ tty: true, columns: 80 });
  const session = openSession(service, { user: 'ana-9', timezone, text: '', poll_ms: 5 }, terminal);
  const running = runSession(
    session,
    () => attend(session, id),
    () => '',
  );
  await follow(terminal, [
    [/2 {2}Creates b.md.*\[a\]pprove/s, 'e 2'],
    [/Path · text.*Enter keeps “b.md”/s, ''],
    [/Content · multi-line text.*Enter keeps\s+“Pears”/s, ''],
    [/Waits for .*Enter keeps 1/, ''],
    [/Not before/, ''],
    [/Nothing has changed yet.*\[Enter\] change it/s, ''],
    [/Path · text.*Enter keeps “b.md”/s, ''],
    [/Content · multi-line text.*Enter keeps\s+“Pears”/s, 'Quinces'],
    [/Waits for .*Enter keeps 1/, '-'],
    [/Not before/, '2050-01-02 09:00'],
    [/Changed since version 1.*Quinces.*\[a\]pprove/s, 'q'],
  ]);
  await running;
  const { steps } = await service.listSteps(id, { limit: 5 });
  expect(steps[1]).toMatchObject({ args: { path: 'b.md', content: 'Quinces' }, after: [] });
  expect(steps[1]?.not_before).toBe('2050-01-02T08:00:00.000Z');
});

test('without a terminal it says what to use instead', async () => {
  const terminal = createFakeTerminal({ tty: false });
  expect(await build(instance.service, { user: 'ana-7', timezone }, terminal)).toBe(
    exitCodes.usage,
  );
  expect(terminal.plain()).toContain('In a script, use');
});

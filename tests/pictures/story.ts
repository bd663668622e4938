// Plans in every state for the console's pictures, made over the API.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '#domain/plan/plan.ts';
import { createClient } from '../setup/http-client.ts';
import { waitFor } from '../wait.ts';

/** `asking` is a conversation. */
export type Story = Record<
  'waiting' | 'revised' | 'running' | 'large' | 'largeWaiting' | 'task' | 'failed' | 'done',
  string
> & { asking: string };

type DraftStep = {
  id: string;
  description: string;
  tool: string;
  operation: string;
  args: object;
  after?: string[];
  partition?: string;
  duration_minutes?: number;
};

const write = (
  id: string,
  path: string,
  content: string,
  rest: Partial<DraftStep> = {},
): DraftStep => ({
  id,
  description: `Write ${path}`,
  tool: 'workspace',
  operation: 'write',
  args: { path, content },
  ...rest,
});

const wait = (id: string, seconds: number, rest: Partial<DraftStep> = {}): DraftStep => ({
  id,
  description: 'Give the site time',
  tool: 'control',
  operation: 'wait',
  args: { seconds },
  ...rest,
});

const task = (
  id: string,
  assignee: string,
  question: string,
  rest: Partial<DraftStep> = {},
): DraftStep => ({
  id,
  description: `Ask ${assignee}`,
  tool: 'human',
  operation: 'task',
  args: { assignee, question },
  ...rest,
});

const notesBefore = `# Release notes

## 2.3
- Faster search
- Fixed: the export of empty tables

## 2.2
- Shared folders
`;

const notesAfter = notesBefore
  .replace('# Release notes\n', '# Release notes\n\n## 2.4\n- Faster imports\n- Dark mode\n')
  .replace('the export of empty tables', 'exports of empty tables');

const release: DraftStep[] = [
  {
    ...{ id: 'read', description: 'See what the last notes say', tool: 'workspace' },
    ...{ operation: 'read', args: { path: 'release/notes.md' } },
  },
  write('notes', 'release/notes.md', notesAfter, {
    description: 'Add what is new in 2.4',
    after: ['read'],
    duration_minutes: 5,
  }),
  {
    ...{ id: 'hook', description: 'Tell the site', tool: 'http', operation: 'request' },
    args: {
      method: 'POST',
      url: 'https://hooks.example.com/release',
      headers: { 'content-type': 'application/json' },
      body: '{"version":"2.4","channel":"stable","notes":"release/notes.md"}',
    },
    after: ['notes'],
    duration_minutes: 2,
  },
  task('check', 'Ana', 'Please check the wording in release/notes.md', {
    description: 'A second pair of eyes',
    after: ['notes'],
    duration_minutes: 30,
  }),
  {
    ...{ id: 'archive', description: 'Keep a copy', tool: 'workspace', operation: 'move' },
    args: { from: 'release/notes.md', to: 'archive/notes-2.4.md' },
    after: ['hook', 'check'],
    duration_minutes: 1,
  },
];

const letters = (folder: string, count: number, slow: number): DraftStep[] =>
  Array.from({ length: count }, (_, index) => {
    const region = ['North', 'East', 'South', 'West'][index % 4] ?? 'North';
    const id = `letter-${index + 1}`;
    const rest = { partition: region, ...(index < 4 ? {} : { after: [`letter-${index - 3}`] }) };
    return index >= slow && index % 7 === 0
      ? wait(id, 3000, { ...rest, description: `Wait for the printer of ${region}` })
      : write(id, `${folder}/${index + 1}.md`, `Dear ${folder.slice(0, -1)} ${index + 1},`, rest);
  });

export async function tellStory(url: string, home: string): Promise<Story> {
  const api = createClient(url);
  const workspace = join(home, 'workspace');
  await mkdir(join(workspace, 'release'), { recursive: true });
  await writeFile(join(workspace, 'release', 'notes.md'), notesBefore);
  const propose = (title: string, steps: DraftStep[], rest: object = {}): Promise<Plan> =>
    api.propose({ title, steps, ...rest });
  const run = async (title: string, steps: DraftStep[], rest: object = {}): Promise<Plan> => {
    const plan = await propose(title, steps, rest);
    await api.approve(plan);
    return plan;
  };
  const say = (conversation: string, text: string) =>
    api.post(`/api/conversations/${conversation}/messages`, { text });
  const planIn = (conversation: string, version: number): Promise<Plan> =>
    waitFor(`version ${version} in ${conversation}`, async () => {
      const { body } = await api.get(`/api/plans?limit=50`);
      const { plans } = body as { plans: Plan[] };
      return (
        plans.find((plan) => plan.conversation === conversation && plan.version === version) ??
        false
      );
    });

  const done = await run(
    'Write the minutes of Monday',
    [
      write('minutes', 'minutes/monday.md', 'Present: Ana, Ben, Clara'),
      write('todo', 'minutes/todo.md', '- Book the room', { after: ['minutes'] }),
    ],
    { conversation: 'console-minutes' },
  );
  const failed = await run(
    'Clean up the old drafts',
    [
      {
        ...{ id: 'delete', description: 'Remove the draft', tool: 'workspace' },
        ...{ operation: 'delete', args: { path: 'drafts/old.md' } },
      },
      write('note', 'drafts/README.md', 'Drafts live here.'),
      write('log', 'drafts/log.md', 'Cleaned.', { after: ['delete'] }),
    ],
    { conversation: 'console-clean' },
  );
  const task1 = await run(
    'Close the books of March',
    [
      write('numbers', 'march/numbers.md', 'Revenue 10,400\nCosts 7,100'),
      task('confirm', 'local', 'Are the numbers in march/numbers.md right?', {
        after: ['numbers'],
      }),
      write('closed', 'march/closed.md', 'Closed.', { after: ['confirm'] }),
    ],
    { conversation: 'console-books' },
  );
  const running = await run(
    'Move the site to the new server',
    [
      write('a', 'site/plan.md', 'Move on Friday'),
      write('b', 'site/dns.md', 'TTL 300', { after: ['a'] }),
      write('c', 'site/mail.md', 'MX stays', { after: ['a'] }),
      wait('d', 3000, { after: ['b', 'c'], description: 'Wait for the DNS', duration_minutes: 50 }),
      write('e', 'site/done.md', 'Moved', { after: ['d'] }),
    ],
    { conversation: 'console-site' },
  );
  const large = await run('Write to every customer', letters('customers', 300, 120));
  const largeWaiting = await propose('Write to every supplier', letters('suppliers', 300, 300));
  for (const [user, site] of [
    ['ana', 'Lisbon'],
    ['ben', 'Porto'],
    ['clara', 'Faro'],
  ] as const) {
    await propose(
      `Update the opening hours of ${site}`,
      [write('hours', `hours/${site}.md`, 'Monday to Friday, 9:00 to 17:00')],
      { user },
    );
  }
  await propose('Rename the brand folder', [write('brand', 'brand/README.md', 'See assets/.')]);
  const asking = 'console-asking';
  await say(asking, 'Book a flight to Lisbon on Friday');
  const revising = 'console-revised';
  await say(
    revising,
    'Create notes/a.md saying "Standup at 9:30", then create notes/b.md saying "Retro at 15:00"',
  );
  await planIn(revising, 1);
  await say(revising, 'propose changes: use notes/retro.md instead of notes/b.md');
  const revised = await planIn(revising, 2);
  const waiting = await propose('Publish the release notes of 2.4', release, {
    conversation: 'console-release',
    risks: ['The site may refuse the call: its answer is checked'],
  });
  await api.reach(done.id, 'completed');
  await api.reach(failed.id, 'failed');
  return {
    ...{ asking, waiting: waiting.id, revised: revised.id, running: running.id },
    ...{ large: large.id, largeWaiting: largeWaiting.id, task: task1.id },
    ...{ failed: failed.id, done: done.id },
  };
}

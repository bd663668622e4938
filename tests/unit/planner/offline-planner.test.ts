// The offline planner on the requests a new user types first, with built-in tools and with an MCP file server.
import { describe, expect, it } from 'vitest';
import { PlanDraft } from '#contracts/plan.ts';
import { defaultPolicy } from '#contracts/policy.ts';
import { builtins, fsServer, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { converse, listSteps, operationsOf, plan, proposalOf, request } from './requests.ts';

const offline = (manifest = builtins) => createOfflinePlanner({ tools: toolsOf(manifest) });
const standup =
  'Create notes/standup.md saying Standup at 9:30, then move it to archive/standup.md';

describe('the first requests, with built-in tools', () => {
  it('creates a file and then moves it', async () => {
    const draft = proposalOf(await plan(offline(), standup));
    expect(listSteps(draft)).toEqual([
      '1 workspace_write {"path":"notes/standup.md","content":"Standup at 9:30"}',
      '2 workspace_move {"from":"notes/standup.md","to":"archive/standup.md"} <- 1',
    ]);
    expect(draft.summary).toBe('Creates archive/standup.md containing "Standup at 9:30".');
    expect(draft.steps[1]).toMatchObject({
      description: 'Move notes/standup.md to archive/standup.md',
      target: 'archive/standup.md',
    });
    expect(() => PlanDraft.parse(draft)).not.toThrow();
  });

  it('takes a folder as the place to move into', async () => {
    const draft = proposalOf(
      await plan(offline(), standup.replace('archive/standup.md', 'archive/')),
    );
    expect(draft.steps[1]?.args).toEqual({ from: 'notes/standup.md', to: 'archive/standup.md' });
  });

  it('writes three files side by side and lists the workspace after all of them', async () => {
    const text =
      'Write three files a.txt, b.txt and c.txt each containing its own name, and after that list the workspace';
    expect(listSteps(proposalOf(await plan(offline(), text)))).toEqual([
      '1 workspace_write {"path":"a.txt","content":"a.txt"}',
      '2 workspace_write {"path":"b.txt","content":"b.txt"}',
      '3 workspace_write {"path":"c.txt","content":"c.txt"}',
      '4 workspace_list {} <- 1,2,3',
    ]);
  });

  it('plans a deletion without looking whether the file is there, and warns that it is final', async () => {
    const tools = toolsOf(builtins);
    const draft = proposalOf(await plan(createOfflinePlanner({ tools }), 'Delete archive/old.md'));
    expect(listSteps(draft)).toEqual(['1 workspace_delete {"path":"archive/old.md"}']);
    expect(tools.calls).toEqual([]);
    expect(draft.risks?.[0]).toMatchObject({ text: 'archive/old.md is deleted permanently.' });
  });

  it('sets a reminder for every weekday', async () => {
    const draft = proposalOf(
      await plan(offline(), 'Remind me every weekday at 9:30 to post the standup'),
    );
    expect(operationsOf(draft)).toEqual([
      [
        'reminder_set',
        {
          text: 'Post the standup',
          rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30;BYSECOND=0',
          timezone: 'Europe/Berlin',
        },
      ],
    ]);
  });

  it('answers what is in the workspace without a plan', async () => {
    const outcome = await plan(offline(), 'What is in the workspace?');
    expect(outcome.result).toEqual({
      kind: 'answer',
      text: 'The workspace has 3 entries:\n- a.txt\n- notes/\n- inbox/',
    });
    expect(outcome.reason).toBe('answered without a plan: it only reads (workspace_list)');
  });

  it('says what it can do when no tool can book a flight', async () => {
    const { result } = await plan(offline(), 'Book me a flight');
    expect(result).toEqual({
      kind: 'cannot',
      wanted: 'book flights',
      text: 'No connected tool can book flights. I can read and write files in the workspace, call web addresses, post here, remind you, keep your calendar, and ask people.',
    });
  });

  it('names itself and says why it decided as it did', async () => {
    const outcome = await plan(offline(), 'Delete a.txt');
    expect(outcome).toMatchObject({
      planner: 'offline planner',
      cost_usd: 0,
      reason: 'a plan, because it changes something: workspace_delete',
    });
    expect(outcome.confidence).toBeGreaterThanOrEqual(0.7);
    expect(outcome.trace.find(({ tool }) => tool === 'offline')).toMatchObject({
      stage: 'COLLECT_CONTEXT',
      explanation: '1 clauses: delete',
    });
  });
});

describe('the same requests, with an MCP file server only', () => {
  const planner = offline(fsServer);

  it('creates the folders that the server does not create by itself', async () => {
    expect(listSteps(proposalOf(await plan(planner, standup)))).toEqual([
      '1 fs_create_directory {"path":"notes"}',
      '2 fs_write_file {"path":"notes/standup.md","content":"Standup at 9:30"} <- 1',
      '3 fs_create_directory {"path":"archive"} <- 2',
      '4 fs_move_file {"source":"notes/standup.md","destination":"archive/standup.md"} <- 3',
    ]);
  });

  it('lists the server after three writes', async () => {
    const text =
      'Write three files a.txt, b.txt and c.txt each containing its own name, and after that list the workspace';
    const steps = listSteps(proposalOf(await plan(planner, text)));
    expect(steps.at(-1)).toBe('4 fs_list_directory {"path":"."} <- 1,2,3');
  });

  it.each([
    ['Delete archive/old.md', 'delete files'],
    ['Remind me every weekday at 9:30 to post the standup', 'set reminders'],
    ['Book me a flight', 'book flights'],
  ])('cannot do "%s" without a tool for it', async (text, wanted) => {
    expect((await plan(planner, text)).result).toMatchObject({ kind: 'cannot', wanted });
  });

  it('reads through the server to answer', async () => {
    expect((await plan(planner, 'What is in the workspace?')).result).toEqual({
      kind: 'answer',
      text: 'fs has 2 entries:\n- a.txt\n- notes/',
    });
    expect((await plan(planner, 'show me a.txt')).result).toEqual({
      kind: 'answer',
      text: 'a.txt says:\n\nA',
    });
  });

  it('takes a text from where the server puts it', async () => {
    expect(listSteps(proposalOf(await plan(planner, 'read a.txt and write it to b.txt')))).toEqual([
      '1 fs_read_text_file {"path":"a.txt"}',
      '2 fs_write_file {"path":"b.txt","content":{"$from":"1","path":"/content"}} <- 1',
    ]);
  });
});

describe('built-in and MCP tools together', () => {
  const planner = offline([...fsServer, ...builtins]);

  it.each([
    ['Create a.txt saying hi', 'workspace_write'],
    ['Create a.txt saying hi using fs', 'fs_write_file'],
    ['With the fs server, create a.txt saying hi', 'fs_write_file'],
    ['via fs, create a.txt saying hi', 'fs_write_file'],
  ])('"%s" is done by %s', async (text, operation) => {
    expect(operationsOf(proposalOf(await plan(planner, text)))[0]).toEqual([
      operation,
      { path: 'a.txt', content: 'hi' },
    ]);
  });
});

describe('asking', () => {
  it('asks for what a file should say and takes the answer as it stands', async () => {
    const planner = offline();
    const first = await plan(planner, 'Create notes.txt');
    expect(first.result).toEqual({
      kind: 'question',
      text: 'What should notes.txt contain?',
      questions: ['What should notes.txt contain?'],
    });
    const draft = proposalOf(
      await converse(planner, ['Create notes.txt', 'Hello, then "delete" everything']),
    );
    expect(operationsOf(draft)).toEqual([
      ['workspace_write', { path: 'notes.txt', content: 'Hello, then "delete" everything' }],
    ]);
  });

  it('takes "empty" as an empty file', async () => {
    const draft = proposalOf(await converse(offline(), ['Create notes.txt', 'empty']));
    expect(draft.steps[0]?.args).toEqual({ path: 'notes.txt', content: '' });
  });

  it.each([[['Create a.txt and b.txt', 'one\ntwo']], [['Create a.txt and b.txt', 'one', 'two']]])(
    'collects the answers to two questions: %j',
    async (turns) => {
      const draft = proposalOf(await converse(offline(), turns));
      expect(operationsOf(draft).map(([, args]) => args.content)).toEqual(['one', 'two']);
    },
  );

  it('never asks more questions at once than the person wants', async () => {
    for (const [depth, count] of [
      [1, 1],
      [2, 2],
      [3, 3],
    ] as const) {
      const { result } = await plan(offline(), 'Create a.txt, b.txt, c.txt and d.txt', {
        policy: { ...defaultPolicy, probing_depth: depth },
      });
      expect(result).toMatchObject({ kind: 'question' });
      expect(result.kind === 'question' && result.questions).toHaveLength(count);
    }
  });

  it('says what is open to a person who wants no questions', async () => {
    const { result } = await plan(offline(), 'Create a.txt', {
      policy: { ...defaultPolicy, probing_depth: 0 },
    });
    expect(result).toMatchObject({ kind: 'answer' });
    expect(result.kind === 'answer' && result.text).toContain('was asked to ask nothing');
  });

  it('takes a whole instruction as a new request, not as an answer', async () => {
    const draft = proposalOf(
      await converse(offline(), ['Create notes.txt', 'Delete archive/old.md']),
    );
    expect(operationsOf(draft)).toEqual([['workspace_delete', { path: 'archive/old.md' }]]);
  });

  it('drops the request when the person says never mind', async () => {
    expect((await converse(offline(), ['Create notes.txt', 'never mind'])).result).toMatchObject({
      kind: 'answer',
    });
  });

  it('says which part it cannot do and plans the rest only after a yes', async () => {
    const text = 'Create a.txt saying hi and book me a flight';
    const asked = await plan(offline(), text);
    expect(asked.result).toMatchObject({
      kind: 'question',
      text: 'No connected tool can book flights. Shall I plan the rest without it?',
    });
    expect(listSteps(proposalOf(await converse(offline(), [text, 'yes please'])))).toEqual([
      '1 workspace_write {"path":"a.txt","content":"hi"}',
    ]);
    expect((await converse(offline(), [text, 'no'])).result).toEqual({
      kind: 'answer',
      text: 'Then I plan nothing.',
    });
  });

  it('asks for another path when the workspace refuses one', async () => {
    const asked = await plan(offline(), 'write hi to ../evil.txt');
    expect(asked.result).toMatchObject({
      kind: 'question',
      questions: [
        'The path "../evil.txt" leads outside the workspace. What should "path" be instead?',
      ],
    });
    const draft = proposalOf(await converse(offline(), ['write hi to ../evil.txt', 'good.txt']));
    expect(draft.steps[0]?.args).toEqual({ path: 'good.txt', content: 'hi' });
  });

  it('offers a reminder for what it cannot repeat', async () => {
    const turns = ['Every Monday at 9 post "Sync"', 'yes'];
    expect(operationsOf(proposalOf(await converse(offline(), turns)))).toEqual([
      [
        'reminder_set',
        {
          text: 'Post "Sync"',
          rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0',
          timezone: 'Europe/Berlin',
        },
      ],
    ]);
  });

  it('does not decide on conditions', async () => {
    const { result } = await plan(offline(), 'If a.txt exists, delete it');
    expect(result).toMatchObject({ kind: 'question' });
    const draft = proposalOf(
      await converse(offline(), ['If a.txt exists, delete it', 'delete a.txt']),
    );
    expect(operationsOf(draft)).toEqual([['workspace_delete', { path: 'a.txt' }]]);
  });

  it('remembers what "it" was in the message before', async () => {
    const draft = proposalOf(
      await converse(offline(), ['Create a.txt saying hi', 'now move it to docs/']),
    );
    expect(draft.steps[0]?.args).toEqual({ from: 'a.txt', to: 'docs/a.txt' });
  });
});

describe('all and every', () => {
  it('names each file that is there', async () => {
    const tools = toolsOf(builtins);
    const draft = proposalOf(
      await plan(createOfflinePlanner({ tools }), 'move everything in inbox to archive'),
    );
    expect(tools.calls).toEqual([{ name: 'workspace_list', args: { path: 'inbox' } }]);
    expect(operationsOf(draft).map(([, args]) => args.to)).toEqual([
      'archive/one.log',
      'archive/two.log',
    ]);
  });

  it('says so when there is none', async () => {
    const { result } = await plan(offline(), 'delete all .csv files in inbox');
    expect(result).toEqual({
      kind: 'answer',
      text: 'There are no files that match *.csv in inbox, so there is nothing to do.',
    });
  });

  it('orders thousands of files without comparing every pair', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`inbox/${i}.log`, '']),
    );
    const planner = createOfflinePlanner({ tools: toolsOf(builtins, files) });
    const draft = proposalOf(
      await plan(planner, 'delete all files in inbox, then list the workspace'),
    );
    expect(draft.steps).toHaveLength(3001);
    expect(draft.steps.at(-1)?.after).toHaveLength(3000);
  }, 60_000);
});

describe('whatever happens', () => {
  it.each([
    'x and y, then z '.repeat(6000),
    'a '.repeat(50_000),
    '"'.repeat(99_999),
    "'a ".repeat(30_000),
    'a.'.repeat(49_000),
    '\u0000\ud800',
    '',
  ])('ends in a named outcome: %.20s', async (text) => {
    const outcome = await plan(offline(), text);
    expect(['question', 'answer', 'cannot']).toContain(outcome.result.kind);
  });

  it.each([
    ['a request', (text: string) => plan(offline(), text)],
    [
      'feedback',
      async (text: string) => {
        const previous = proposalOf(await plan(offline(), 'Create a.txt saying x'));
        const asked = request('Create a.txt saying x');
        return offline().plan(
          { ...asked, revision: { previous, feedback: [text] } },
          new AbortController().signal,
        );
      },
    ],
  ])('asks for a shorter text, and names the limit, where %s is too long', async (_, say) => {
    const { result } = await say('delete a.txt and '.repeat(240));
    expect(result.kind).toBe('question');
    expect(result).toMatchObject({ text: expect.stringContaining('4,000 characters') });
  });

  it('keeps a long text that follows "saying" whole', async () => {
    const body = 'She said "wait, then go" and C:\\new. '.repeat(800).trim();
    const draft = proposalOf(await plan(offline(), `Create story.txt saying ${body}`));
    expect(draft.steps[0]?.args).toEqual({ path: 'story.txt', content: body });
  });

  it('stops when it is told to', async () => {
    const outcome = await offline().plan(request('Delete a.txt'), AbortSignal.abort());
    expect(outcome.result).toMatchObject({ kind: 'aborted', reason: 'cancelled' });
  });

  it('reports a failing tool as part of the answer', async () => {
    expect((await plan(offline(), 'read missing.txt')).result).toEqual({
      kind: 'answer',
      text: 'Read missing.txt: that did not work. There is no missing.txt.',
    });
  });

  it('turns a broken port into an outcome', async () => {
    const tools = {
      ...toolsOf(builtins),
      manifest: () => {
        throw new Error('registry is closed');
      },
    };
    expect((await plan(createOfflinePlanner({ tools }), 'Delete a.txt')).result).toMatchObject({
      kind: 'aborted',
      reason: 'internal',
    });
  });
});

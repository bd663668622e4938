// Nothing is proposed that differs from what was asked: it is right, or it is a question, or it cannot be done.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contracts/text.ts';
import { builtins, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { converse, operationsOf, plan, proposalOf } from './requests.ts';

const files = {
  'a.txt': 'A',
  'b.txt': 'B',
  'todo.md': 'milk',
  'logs/a.log': '1',
  'logs/b.log': '2',
  'logs/old/c.log': '3',
  'docs/guide.md': '# Guide',
};
const offline = () => createOfflinePlanner({ tools: toolsOf(builtins, files) });
const ask = (...texts: string[]) => converse(offline(), texts);
const remove = (path: string, more: JsonObject = {}): [string, JsonObject] => [
  'workspace_delete',
  { path, ...more },
];
const write = (path: string, content: string): [string, JsonObject] => [
  'workspace_write',
  { path, content },
];
const append = (path: string, content: string): [string, JsonObject] => [
  'workspace_write',
  { path, content, overwrite: true },
];
const move = (from: string, to: string): [string, JsonObject] => ['workspace_move', { from, to }];
const post = (text: string): [string, JsonObject] => ['chat_post', { text }];
const all: [string, JsonObject][] = [
  remove('a.txt'),
  remove('b.txt'),
  remove('todo.md'),
  remove('logs', { recursive: true }),
  remove('docs', { recursive: true }),
];

async function stepsOf(...texts: string[]): Promise<[string, JsonObject][]> {
  return operationsOf(proposalOf(await ask(...texts)));
}

describe('a word that nothing was made of is asked about', () => {
  it.each([
    ['delete a.txt instead of b.txt', 'instead'],
    ['delete neither a.txt nor b.txt', 'neither'],
    ['delete a.txt or b.txt', 'or'],
    ['delete b.txt but not a.txt', 'but not'],
    ['delete a.txt, no wait, b.txt', 'no wait'],
    ['delete hello world.txt', 'hello'],
    ['remove milk from todo.md', 'milk'],
    ['delete the first line of todo.md', 'first line'],
    ['delete all files modified today', 'modified today'],
    ['delete all files starting with a', 'starting with'],
    ['delete a.txt after copying it to backup/', 'after copying'],
    ['delete a.txt before Friday', 'before Friday'],
    ['delete a.txt by Friday', 'by Friday'],
    ['delete a.txt from yesterday', 'yesterday'],
    ['delete a.txt without asking', 'without asking'],
    ['get approval from Ana before deleting a.txt', 'approval'],
    ["create Ana's notes.txt saying hi", "Ana's"],
    ['create files 1.txt through 5.txt saying hi', 'through'],
    ['create three files x.txt, y.txt saying hi', 'three'],
    ['fetch https://example.com with header X', 'with header X'],
    ['delete the files listed at https://example.com', 'listed'],
    ['list files bigger than 1MB', 'bigger than 1MB'],
    ['delete a.txt und b.txt', 'und'],
    ['wait 5 minutes or 2 hours', 'or 2 hours'],
  ])('%s', async (text, words) => {
    const { result } = await plan(offline(), text);
    expect(result.kind).toBe('question');
    expect(result.kind === 'question' && result.text).toContain(
      `I do not know what to do with "${words}"`,
    );
  });

  it('waits as long as the answer says, in its own unit', async () => {
    expect(await stepsOf('wait', '2 minutes')).toEqual([['control_wait', { seconds: 120 }]]);
    expect(await stepsOf('wait', '20')).toEqual([['control_wait', { seconds: 20 }]]);
  });

  it('does not take a quality of files for a name', async () => {
    expect((await ask('delete files older than 30 days')).result.kind).toBe('question');
  });

  it('takes the answer in place of the instruction', async () => {
    expect(await stepsOf('delete a.txt instead of b.txt', 'delete b.txt')).toEqual([
      remove('b.txt'),
    ]);
  });

  it.each([
    ['delete a.txt because it is old', [remove('a.txt')]],
    ['delete a.txt permanently', [remove('a.txt')]],
    ['delete a.txt as well as b.txt', [remove('a.txt'), remove('b.txt')]],
    ['please just delete the file with the name a.txt right now', [remove('a.txt')]],
    ['Would you create x.txt with the text hello?', [write('x.txt', 'hello')]],
  ])('but not about what says nothing new: %s', async (text, steps) => {
    expect(await stepsOf(text)).toEqual(steps);
  });
});

describe('everything is meant literally', () => {
  it.each([
    'delete everything',
    'remove all files and folders',
    'empty the workspace',
    'wipe the workspace',
    'clear the whole workspace',
    'delete .',
    'rm -rf *',
  ])('%s', async (text) => {
    expect(await stepsOf(text)).toEqual(all);
  });

  it.each([
    ['delete the folder logs', [remove('logs', { recursive: true })]],
    ['delete logs/', [remove('logs', { recursive: true })]],
    ['delete the logs directory recursively', [remove('logs', { recursive: true })]],
    [
      'clear the logs folder',
      [remove('logs/a.log'), remove('logs/b.log'), remove('logs/old', { recursive: true })],
    ],
    ['delete everything except a.txt', all.slice(1)],
    [
      'move everything except todo.md to docs',
      [move('a.txt', 'docs/a.txt'), move('b.txt', 'docs/b.txt'), move('logs', 'docs/logs')],
    ],
    ['delete every .txt', [remove('a.txt'), remove('b.txt')]],
    ['please delete all .txt files but not a.txt', [remove('b.txt')]],
    ['get rid of each text file', [remove('a.txt'), remove('b.txt')]],
    ['delete all *.txt files', [remove('a.txt'), remove('b.txt')]],
    ['delete every log in logs/old', [remove('logs/old/c.log')]],
    ['rename all txt files to .md', [move('a.txt', 'a.md'), move('b.txt', 'b.md')]],
    ['empty a.txt', [append('a.txt', '')]],
  ])('%s', async (text, steps) => {
    expect(await stepsOf(text)).toEqual(steps);
  });

  it('says that a folder goes with all that is in it', async () => {
    const draft = proposalOf(await ask('delete logs/'));
    expect(draft.title).toBe('Delete logs and everything in it');
  });

  it('leaves nothing out that an exception does not name', async () => {
    expect((await ask('delete everything except docs/guide.md')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('docs/guide.md lies in docs'),
    });
    expect((await ask('delete everything except nope.txt')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('There is no nope.txt'),
    });
  });
});

describe('files further down', () => {
  const listing = [
    { path: 'logs/a.log', kind: 'file' },
    { path: 'logs/old', kind: 'folder' },
    { path: 'logs/old/c.log', kind: 'file' },
  ];
  const deep = (truncated = false) => {
    const tools = toolsOf(builtins, files);
    return createOfflinePlanner({
      tools: {
        ...tools,
        call: async () => ({ summary: '', data: { path: 'logs', entries: listing, truncated } }),
      },
    });
  };

  it.each([
    ['those too', [remove('logs/a.log'), remove('logs/old/c.log')]],
    ['only the ones directly there', [remove('logs/a.log')]],
  ])('are asked about: %s', async (answer, steps) => {
    const text = 'please delete every log in logs';
    expect((await plan(deep(), text)).result).toMatchObject({
      kind: 'question',
      text: 'Further down in logs I find 1 more of the files that match *.log. Do you mean those too, or only the ones directly in logs?',
    });
    expect(operationsOf(proposalOf(await converse(deep(), [text, answer])))).toEqual(steps);
  });

  it('are not taken for all when the listing ended early', async () => {
    expect((await plan(deep(true), 'delete every log in logs')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('more than I can list'),
    });
  });
});

describe('a time becomes the beginning of the step', () => {
  it.each([
    ['Post "good morning" here at 12:00', '2026-03-04T12:00:00+01:00', post('good morning')],
    ['Post "good morning" here tomorrow', '2026-03-05T09:00:00+01:00', post('good morning')],
    ['post hello here in 5 minutes', '2026-03-04T11:05:00+01:00', post('hello')],
    ['in 10 minutes, post "done"', '2026-03-04T11:10:00+01:00', post('done')],
    ['announce at 5pm that we ship', '2026-03-04T17:00:00+01:00', post('we ship')],
    ['tomorrow at 9 delete a.txt', '2026-03-05T09:00:00+01:00', remove('a.txt')],
    ['delete a.txt at 18:00', '2026-03-04T18:00:00+01:00', remove('a.txt')],
    [
      'on Friday at 5pm, move a.txt to docs/',
      '2026-03-06T17:00:00+01:00',
      move('a.txt', 'docs/a.txt'),
    ],
    ['create x.txt with "hi" at 5pm', '2026-03-04T17:00:00+01:00', write('x.txt', 'hi')],
    ['read a.txt at 18:00', '2026-03-04T18:00:00+01:00', ['workspace_read', { path: 'a.txt' }]],
  ] as [string, string, [string, JsonObject]][])('%s', async (text, at, step) => {
    const draft = proposalOf(await ask(text));
    expect(operationsOf(draft)).toEqual([step]);
    expect(draft.steps[0]?.not_before).toBe(at);
    const [day, time] = [at.slice(0, 10), at.slice(11, 16)];
    expect(draft.title).toContain(`, on ${day} at ${time}`);
    expect(draft.summary).toContain(`Not before ${day} at ${time}: `);
  });

  it('leaves a time inside dictated text alone', async () => {
    const draft = proposalOf(await ask('create x.txt saying Standup at 9:30'));
    expect(draft.steps[0]).toMatchObject({ args: { content: 'Standup at 9:30' } });
    expect(draft.steps[0]?.not_before).toBeUndefined();
  });

  it('counts for all that follows when it is said first', async () => {
    const draft = proposalOf(await ask('tomorrow at 9, delete a.txt and post "done" here'));
    expect(draft.steps.map((step) => step.not_before)).toEqual([
      '2026-03-05T09:00:00+01:00',
      '2026-03-05T09:00:00+01:00',
    ]);
  });

  it.each([
    ['both', ['2026-03-05T09:00:00+01:00', '2026-03-05T09:00:00+01:00']],
    ['only the post', [undefined, '2026-03-05T09:00:00+01:00']],
  ])('is asked about when it may be meant for one of two: %s', async (answer, starts) => {
    const text = 'delete a.txt and post "done" here tomorrow at 9';
    expect((await ask(text)).result).toMatchObject({
      text: 'Is "tomorrow at 9" meant for all of it, or only for "post "done" here"?',
    });
    const draft = proposalOf(await ask(text, answer));
    expect(draft.steps.map((step) => step.not_before)).toEqual(starts);
  });

  it('waits after the step before when a delay follows "then"', async () => {
    expect(await stepsOf('create x.txt saying hi, then in 5 minutes delete it')).toEqual([
      write('x.txt', 'hi'),
      ['control_wait', { seconds: 300 }],
      remove('x.txt'),
    ]);
  });

  it.each([
    [
      'post hello at 12:00',
      'Is "at 12:00" the time to do it, or part of the text? Answer "time" or "text".',
    ],
    ['remind me yesterday to sleep', '"2026-03-03 09:00" is past. When should it be instead?'],
    [
      "Post 'good morning' here every Monday at 9",
      `I run a plan once and cannot repeat "Post 'good morning' here". Shall I remind you every Monday at 09:00 to do it?`,
    ],
    [
      'ask Ana every Friday for the report',
      'I run a plan once and cannot repeat "ask Ana for the report". Shall I remind you every Friday at 09:00 to do it?',
    ],
    ['remind me at 9am and 5pm to take pills', 'When should I remind you of "Take pills"?'],
    ['remind me twice a day to stretch', 'When should I remind you of "Stretch"?'],
    ['remind me every day until Friday to drink', 'When should I remind you of "Drink"?'],
    ['remind me on 31 February to pay', 'When should I remind you of "Pay"?'],
  ])('or a question: %s', async (text, question) => {
    expect((await ask(text)).result).toMatchObject({ kind: 'question', text: question });
  });

  it('can be moved by feedback', async () => {
    const previous = proposalOf(await ask('delete a.txt tomorrow at 9'));
    const outcome = await plan(offline(), 'do it on Friday at 10:00', {
      revision: { previous, feedback: ['do it on Friday at 10:00'] } as never,
    });
    expect(proposalOf(outcome).steps[0]).toMatchObject({
      not_before: '2026-03-06T10:00:00+01:00',
      description: 'Delete a.txt (not before 2026-03-06 at 10:00)',
    });
  });
});

describe('names and texts are taken whole', () => {
  it.each([
    ['make a file called hello world.txt with hello', [write('hello world.txt', 'hello')]],
    ['delete the file named my old notes.txt', [remove('my old notes.txt')]],
    ['create 🎉.txt saying 🎉', [write('🎉.txt', '🎉')]],
    ['create list.md with:\n- milk\n- bread', [write('list.md', '- milk\n- bread')]],
    [
      'create list.md with the following content:\n# T\n\nOne. Two.\n\n1. one',
      [write('list.md', '# T\n\nOne. Two.\n\n1. one')],
    ],
    [
      'write n.txt:\nline 1\nline 2\n\nthen delete a.txt',
      [write('n.txt', 'line 1\nline 2'), remove('a.txt')],
    ],
    [
      'create c.json with:\n{\n  "a": "x and then y"\n}',
      [write('c.json', '{\n  "a": "x and then y"\n}')],
    ],
    ['write https://example.com to links.txt', [write('links.txt', 'https://example.com')]],
    ['post https://example.com here', [post('https://example.com')]],
    ['create x.txt saying hi and the same for y.txt', [write('x.txt', 'hi'), write('y.txt', 'hi')]],
    ['delete a.txt and do the same with b.txt', [remove('a.txt'), remove('b.txt')]],
  ])('%s', async (text, steps) => {
    expect(await stepsOf(text)).toEqual(steps);
  });

  it.each([
    ['create c.txt with the contents of a.txt and b.txt', 'What should c.txt contain?'],
    ['write the number of files to n.txt', 'What should n.txt contain?'],
    ['list the files and save the list to f.txt', 'What should f.txt contain?'],
    ['create hello in x.txt', 'What should x.txt contain?'],
    ['replace a.txt with b.txt', 'What should a.txt contain?'],
    ['post "hi" three times', 'What should the message contain?'],
    ['post nothing', 'What should I post?'],
    [
      'post a.txt here',
      'Shall I post what a.txt says, or the words "a.txt"? Answer "text" or "words".',
    ],
  ])('or asked for: %s', async (text, question) => {
    expect((await ask(text)).result).toMatchObject({ kind: 'question', text: question });
  });
});

describe('changes to a file build on each other', () => {
  it.each([
    [
      'append x to todo.md, then append y to todo.md',
      [append('todo.md', 'milk\nx'), append('todo.md', 'milk\nx\ny')],
    ],
    [
      'move a.txt to docs/ then append x to docs/a.txt',
      [move('a.txt', 'docs/a.txt'), append('docs/a.txt', 'A\nx')],
    ],
  ])('%s', async (text, steps) => {
    expect(await stepsOf(text)).toEqual(steps);
  });

  it('is not planned on a text that nobody knows yet', async () => {
    const text = 'fetch https://example.com and save it as p.html, then append x to p.html';
    expect((await ask(text)).result).toMatchObject({ kind: 'answer' });
  });

  it('says what is lost when the file changes before it runs', async () => {
    const draft = proposalOf(await ask('append X to todo.md'));
    expect(draft.risks).toContainEqual({
      text: 'todo.md is rewritten as a whole from what it said when this was planned; a change made to it since is lost.',
      sign: 'todo.md was changed after this plan was made.',
    });
  });

  it.each([
    ['first copy a.txt to backup/, then delete it', 'a.txt'],
    ['delete a.txt, but first copy it to backup/', 'a.txt'],
  ])('deletes what was copied, after the copy: %s', async (text, path) => {
    const steps = await stepsOf(text);
    expect(steps.map(([name]) => name)).toEqual([
      'workspace_read',
      'workspace_write',
      'workspace_delete',
    ]);
    expect(steps.at(-1)).toEqual(remove(path));
  });
});

describe('an event keeps its end', () => {
  const on = (day: string, from: string, to: string) => ({
    start: `2026-03-${day}T${from}:00+01:00`,
    end: `2026-03-${day}T${to}:00+01:00`,
  });
  it.each([
    [
      'add a meeting with Ana tomorrow 15:00-16:00 to my calendar',
      'Meeting with Ana',
      on('05', '15:00', '16:00'),
    ],
    [
      'add a call with Ben on Friday at 3pm for an hour',
      'Call with Ben',
      on('06', '15:00', '16:00'),
    ],
    [
      'add a meeting tomorrow at 10 for 45 minutes to my calendar',
      'Meeting',
      on('05', '10:00', '10:45'),
    ],
    [
      'schedule lunch with Eva from 3 to 4pm tomorrow',
      'Lunch with Eva',
      on('05', '15:00', '16:00'),
    ],
    ['add "Dentist" to my calendar on Monday 9:00 to 9:30', 'Dentist', on('09', '09:00', '09:30')],
    ['add holiday all day on 10 March to my calendar', 'Holiday', { start: '2026-03-10' }],
    [
      'add holiday from 10 to 12 March to my calendar',
      'Holiday',
      { start: '2026-03-10', end: '2026-03-13' },
    ],
    [
      'add standup to my calendar every Monday at 9 for 15 minutes',
      'Standup',
      { ...on('09', '09:00', '09:15'), rrule: 'FREQ=WEEKLY;BYDAY=MO' },
    ],
    [
      'add review to my calendar on Monday at 9 for an hour and five minutes',
      'Review',
      on('09', '09:00', '10:05'),
    ],
  ])('%s', async (text, title, when) => {
    expect(await stepsOf(text)).toEqual([
      ['calendar_add', { title, ...when, timezone: 'Europe/Berlin' }],
    ]);
  });
});

describe('people get what was meant for them', () => {
  it.each([
    ['send a message to Ana saying hi', 'Ana', 'hi'],
    ['message Ana "hi"', 'Ana', 'hi'],
    ['tell Ana that lunch is ready', 'Ana', 'lunch is ready'],
    ["tell Ana I'm late", 'Ana', "I'm late"],
  ])('a message to one person is not posted to all: %s', async (text, person, words) => {
    expect((await ask(text)).result).toMatchObject({
      text: `I can't write to one person alone. Shall I give ${person} "${words}" as a task to confirm?`,
    });
    expect(await stepsOf(text, 'yes')).toMatchObject([['human_task', { assignee: person }]]);
  });

  it('asks each of two people', async () => {
    expect(await stepsOf('ask Ana and Ben to review todo.md')).toEqual([
      ['human_task', { question: 'Review todo.md', assignee: 'Ana' }],
      ['human_task', { question: 'Review todo.md', assignee: 'Ben' }],
    ]);
  });

  it("knows O'Brien", async () => {
    expect(await stepsOf("ask O'Brien to sign todo.md")).toEqual([
      ['human_task', { question: 'Sign todo.md', assignee: "O'Brien" }],
    ]);
  });

  it('reminds nobody but the one who asked', async () => {
    const { result } = await ask('remind Ana to send it tomorrow at 9');
    expect(result).toMatchObject({
      text: expect.stringContaining('I can only remind you, not Ana'),
    });
  });
});

describe('which files there are is answered', () => {
  it.each([
    ['does a.txt exist?', 'In the workspace, 1 entry:\n- a.txt'],
    ['is there a file called nope.md?', 'There is no nope.md in the workspace.'],
    ['list all .md files in docs', 'In docs, 1 entry:\n- docs/guide.md'],
  ])('%s', async (text, answer) => {
    expect((await ask(text)).result).toEqual({ kind: 'answer', text: answer });
  });
});

describe('another language is a question, never nonsense', () => {
  it.each([
    'borra el archivo a.txt',
    'elimina todo menos a.txt',
    'crea un archivo notas.txt que diga hola',
    'create notas.txt con el texto hola',
    'mueve a.txt a docs',
    'lösche a.txt',
    'Bitte lösche alle Dateien',
    'erstelle eine Datei test.txt mit hallo',
    'post "hola" aquí',
    'delete a.txt y b.txt',
  ])('%s', async (text) => {
    expect((await ask(text)).result.kind).toBe('question');
  });
});

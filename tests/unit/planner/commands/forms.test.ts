import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readRecurringRequest } from '#domain/plan/recurring.ts';
import type { Planner } from '#domain/planning/run.ts';
import { objectIn } from '#domain/text.ts';
import { changeForms } from '#planner/commands/change-forms.ts';
import { forms, frames, recurringForms } from '#planner/commands/forms.ts';
import { compile } from '#planner/commands/match.ts';
import { readRequest } from '#planner/commands/request.ts';
import { tokenize } from '#planner/commands/tokens.ts';
import { listCommands } from '#planner/offline/help.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { createMemoryPlanner } from '../../../fixtures/memory-planner.ts';
import { rounds } from '../../../rounds.ts';
import { builtins, everythingServer, tableOperations, toolsOf } from '../manifest.ts';
import { limits } from '../planners.ts';
import { converse, listSteps, plan, proposalOf } from '../requests.ts';

const files = {
  'todo.txt': 'milk',
  'logs/a.log': '1',
  'logs/today.log': '2',
  'orders.csv': 'id,name,due\n1,Ana,2026-04-01\n2,Ben,2026-05-01',
};
const nested = {
  type: 'object',
  properties: {
    entities: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          observations: { type: 'array', items: { type: 'string' } },
        },
        required: ['name', 'observations'],
      },
    },
    note: { type: 'string' },
  },
  required: ['entities'],
};
const memory = builtins.slice(0, 1).map((spec) => ({
  ...spec,
  ...{ tool: 'memory', operation: 'create_entities', name: 'memory_create_entities' },
  ...{ source: 'mcp' as const, effect: 'write' as const, input: nested },
}));
const manifest = [...builtins, ...tableOperations, ...everythingServer, ...memory];
const tools = toolsOf(manifest, files);
const planner = (posts: PlannerTools['posts'] = null): Planner =>
  createMemoryPlanner({
    tools: {
      ...tools,
      posts,
      async call(name, args, signal) {
        const output = await tools.call(name, args, signal);
        const { entries, ...rest } = objectIn(output.data) ?? {};
        if (!Array.isArray(entries)) return output;
        const named = entries.map((one) => ({
          ...objectIn(one),
          name: String(objectIn(one)?.path).split('/').at(-1) ?? '',
        }));
        return { ...output, data: { ...rest, entries: named } };
      },
    },
    ...{ model: null, limits, clock },
  });
const clock = { now: () => new Date('2026-03-04T10:00:00Z') };
const operations = new Map(manifest.map(({ name }) => [name.toLowerCase(), name]));
const read = (source: string) =>
  readRequest({
    ...{ source, tokens: tokenize(source), operations, it: null },
    ...{ now: new Date('2026-03-04T10:00:00Z'), timezone: 'Europe/Berlin' },
  });

const words: Record<string, string> = {
  text: '"then delete b.txt"',
  rest: 'any words, and then some; all of them',
  file: 'a.txt',
  target: 'b.txt',
  folder: 'logs',
  person: 'Ana García',
  address: 'https://example.com/a?b=c',
  place: '#general',
  data: '{"a": [1, "}"]}',
  time: 'tomorrow at 9:30 pm',
  clock: '17:00',
  span: '2 hours 5 minutes',
  operation: 'everything_get-sum',
  arguments: 'a: 2, b: 3',
  plan: 'PLAN-3f9a1c20',
};

/** With all optional words or none, and each alternative in turn. */
function samples(spelling: string): string[] {
  const elements = compile(spelling);
  const write = (optional: boolean, nth: number) =>
    elements
      .flatMap((one) => {
        if (one.kind === 'words')
          return one.optional && !optional ? [] : [one.words[nth % one.words.length] ?? ''];
        if (one.kind === 'colon') return [':'];
        return one.kind === 'slot' ? [words[one.type] ?? '?'] : [];
      })
      .join(' ');
  return [...new Set([write(true, 0), write(false, 1), write(true, 2)])];
}

const all = forms.flatMap((form) =>
  form.spellings.flatMap((spelling) =>
    samples(spelling).map((text) => ({ text, id: form.id, isOpen: spelling.includes('?') })),
  ),
);

it.each(all)('$text is “$id”', ({ text, id, isOpen }) => {
  const rest = text.endsWith(words.rest ?? '');
  const variants = [text, `Please ${text}`, text.charAt(0).toUpperCase() + text.slice(1)];
  for (const variant of [...variants, ...(rest ? [] : [`${text}.`, `${text}\n\n`])]) {
    const found = read(variant);
    if (found.kind !== 'request') throw new Error(`${variant}: ${JSON.stringify(found)}`);
    expect(found.request.commands.map(({ form }) => form.id)).toEqual([id]);
    expect(found.request.commands[0]?.slots.lacks.length === 0).toBe(!isOpen);
    // One word more has no place.
    if (!rest) expect(read(`${variant.replace(/[.\n]+$/, '')} for sideways`).kind).toBe('unread');
  }
});

const page = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');

describe.each([...forms, ...frames])('$example', ({ example, effect }) => {
  it('plans or answers as it stands', async () => {
    const { result } = await plan(planner(), example);
    expect(result).toMatchObject({ kind: expect.stringMatching(/^(?:proposal|answer)$/) });
    if (result.kind === 'answer') expect(result.text).not.toContain('Nothing was planned');
  });

  it('is in the document', () => {
    for (const line of example.split('\n')) expect(page).toContain(`\`${line}\``);
    expect(page).toContain(effect);
  });
});

it.each(changeForms)('propose changes: $example', async ({ id, example, effect }) => {
  expect(page).toContain(`| \`${example}\` | ${effect} |`);
  const asked = {
    repeat: 'every Monday at 9:00 write "A" to a.txt',
    until: 'every Monday at 9:00 write "A" to a.txt',
    deadline: 'write "A" to a.txt by Friday',
    'no deadline': 'write "A" to a.txt by Friday',
  }[id];
  const offline = planner();
  const previous = proposalOf(
    await plan(offline, asked ?? 'write "A" to a.txt, then write "B" to b.txt'),
  );
  const feedback = [example];
  const { result } = await plan(offline, example, { revision: { previous, feedback } });
  expect(result.kind).toBe('proposal');
});

test('propose changes: another of the orders compared, as the card’s button asks for it', async () => {
  const offline = planner();
  const previous = proposalOf(await plan(offline, 'write "A" to a.txt and write "B" to b.txt'));
  const changeTo = async (way: string) => {
    const feedback = `do the steps ${way}`;
    const revision = { revision: { previous, feedback: [feedback] } };
    return listSteps(proposalOf(await plan(offline, feedback, revision)));
  };
  const last = '2 workspace_write {"content":"B","path":"b.txt"}';
  expect(await changeTo('as said')).toContain(last);
  expect(await changeTo('one at a time')).toContain(`${last} <- 1`);
});

test.each([
  ['change "A" to "C"', '1 workspace_write {"content":"C","path":"a.txt"}'],
  ['change content of step 2 to "C"', '2 workspace_write {"content":"C","path":"b.txt"} <- 1'],
  ['call it c.txt instead', '2 workspace_write {"content":"B","path":"c.txt"} <- 1'],
  ['leave out step 2', '1 workspace_write {"content":"A","path":"a.txt"}'],
  ['drop step 2', '1 workspace_write {"content":"A","path":"a.txt"}'],
  ['also write "C" to c.txt', '3 workspace_write {"content":"C","path":"c.txt"}'],
  ['step 2 text: C, and D', '2 workspace_write {"content":"C, and D","path":"b.txt"} <- 1'],
  ['change the file of step 1 to c.txt', '1 workspace_write {"content":"A","path":"c.txt"}'],
  ['change a.txt to c.txt', '1 workspace_write {"content":"A","path":"c.txt"}'],
  ['step 2 before step 1', '1 workspace_write {"content":"A","path":"a.txt"} <- 2'],
])('propose changes: %s', async (feedback, step) => {
  const offline = planner();
  const previous = proposalOf(await plan(offline, 'write "A" to a.txt, then write "B" to b.txt'));
  const changed = await plan(offline, feedback, { revision: { previous, feedback: [feedback] } });
  expect(listSteps(proposalOf(changed))).toContain(step);
});

test.each([
  'leave out',
  'remove step 2 and step 3',
  'remove step 9',
  'make it nicer',
  'use b.txt',
  'change colour of step 1 to "red"',
  'at 9 or 10',
  'change text to "C"',
  'add: make me a sandwich',
])('no change: %s', async (example) => {
  const offline = planner();
  const previous = proposalOf(await plan(offline, 'write "A" to a.txt, then write "B" to b.txt'));
  const { result } = await plan(offline, example, { revision: { previous, feedback: [example] } });
  expect(result.kind).toBe('question');
});

const questions: [asked: string, answers: string[], planned: string][] = [
  [
    'create a.txt',
    ['part of it', '"part of it"', 'It should say: part of it', 'the text is "part of it"'],
    '"content":"part of it"',
  ],
  ['write "hi"', ['b.md', '"b.md"', 'Put it into b.md.'], '"path":"b.md"'],
  ['delete', ['old.txt', '“old.txt”', 'I mean old.txt'], '{"path":"old.txt"}'],
  ['copy a.txt', ['b.txt', '"b.txt"', 'to b.txt please'], '"to":"b.txt"'],
  ['move a.txt', ['done/', '"done/"', 'into done/'], '"to":"done/a.txt"'],
  ['post', ['Hello', '"Hello"', 'The message is: Hello'], '{"text":"Hello"}'],
  ['copy', ['a.txt\nb.txt', '"a.txt"\n"b.txt"', '1. a.txt\n2. to b.txt'], '"path":"a.txt"'],
  ['ask', ['Ana\nMay I?', '@Ana\n"May I?"', '1. ask Ana\n2. May I?'], '"assignee":"Ana"'],
  [
    'show, then post "x" here',
    ['a.txt', '“a.txt”', 'the file a.txt please'],
    'workspace_read {"path":"a.txt"}',
  ],
  [
    'fetch, then post "x" here',
    ['https://example.com', '"https://example.com"', 'it is https://example.com'],
    'http_get {"url":"https://example.com"}',
  ],
  [
    'remind me tomorrow at 9:00',
    ['call Ben', '"call Ben"', 'the text is: call Ben'],
    '"text":"call Ben"',
  ],
  ['ask Ana', ['May I?', '"May I?"', 'the question: May I?'], '"question":"May I?"'],
  ['wait, then post "x" here', ['5 minutes', '5 min', 'for 300 seconds'], '{"seconds":300}'],
  [
    'remind me: call Ben',
    ['2 December at 9:00', 'on December 2 9:00', 'At 9 am on 2 December, please'],
    '"at":"2026-12-02T09:00:00+01:00"',
  ],
  ['remind me tomorrow: call Ben', ['9:00', 'at 9 am', '1'], '"at":"2026-03-05T09:00:00+01:00"'],
  [
    'remind me tomorrow at 9: call Ben',
    ['21:00', 'in the evening', '2'],
    '"at":"2026-03-05T21:00:00+01:00"',
  ],
  [
    'remind me on Wednesday at 12:00: call Ben',
    ['2026-03-11', '2', '11 March'],
    '"at":"2026-03-11T12:00:00+01:00"',
  ],
  [
    'remind me on 2026-01-02 at 9:00: call Ben',
    ['2 December', '2026-12-02', 'I mean 2 December'],
    '"at":"2026-12-02T09:00:00+01:00"',
  ],
  ['remind me every Friday: call Ben', ['17:00', '5 pm', 'at 17:00 please'], 'BYHOUR=17'],
  ['remind me every Friday at 5: call Ben', ['17:00', 'in the afternoon', '2'], 'BYHOUR=17'],
  [
    'add "Call" to the calendar',
    ['2 December at 15:00', 'on 2 December, 3 pm', 'it is at 15:00 on 2 December'],
    '"start":"2026-12-02T15:00:00+01:00"',
  ],
  [
    'write "a" to a.txt and post "b" here tomorrow at 9:00',
    ['For both', 'yes, both', '1'],
    '"content":"a"',
  ],
  [
    'call workspace_move with from: a.txt',
    ['b.txt', '"b.txt"', 'the value is b.txt'],
    '"to":"b.txt"',
  ],
  [
    'call workspace_delete with path: a, recursive: maybe',
    ['yes', 'true', 'Yes, it should be'],
    '"recursive":true',
  ],
  [
    'every Friday at 17:00 post "x" here until Wednesday',
    ['2', '2026-03-11', '11 March'],
    '"until":"2026-03-11T23:00:00.000Z"',
  ],
  [
    'every Friday at 17:00 post "x" here until 1 June at 5',
    ['17:00', 'in the afternoon', '2'],
    '"until":"2026-06-01T15:00:00.000Z"',
  ],
  [
    'every Friday at 17:00 post "x" here until 2026-01-02 at 9:00',
    ['2 December', '2026-12-02', 'I mean 2 December'],
    '"until":"2026-12-02T08:00:00.000Z"',
  ],
  [
    'ask Ana "x" by Wednesday',
    ['2', '2026-03-11', '11 March'],
    '"deadline":"2026-03-11T23:00:00.000Z"',
  ],
  [
    'ask Ana "x" by 20 December at 5',
    ['17:00', 'in the afternoon', '2'],
    '"deadline":"2026-12-20T16:00:00.000Z"',
  ],
  [
    'ask Ana "x" by 2026-01-02 at 9:00',
    ['2 December', '2026-12-02', 'I mean 2 December'],
    '"deadline":"2026-12-02T08:00:00.000Z"',
  ],
];

test('every slot that a command may lack is among these questions', () => {
  const lacks = forms.flatMap(({ id, spellings }) =>
    spellings.flatMap((one) =>
      compile(one).flatMap((part) => (part.kind === 'lack' ? `${id} ${part.name}` : [])),
    ),
  );
  const asked = questions.flatMap(([text]) => {
    const found = read(text);
    if (found.kind !== 'request') return [];
    return found.request.commands.flatMap(({ form, slots }) =>
      slots.lacks.map((name) => `${form.id} ${name}`),
    );
  });
  expect(lacks.filter((one) => !asked.includes(one))).toEqual([]);
});

describe.each(questions)('the question about “%s”', (asked, answers, planned) => {
  it.each(answers)('is answered by “%s”', async (answer) => {
    const outcome = await converse(planner(), [asked, answer]);
    const draft = proposalOf(outcome);
    const limits = JSON.stringify([draft.series, outcome.session]).match(
      /"(?:until|deadline)":"[^"]+"/g,
    );
    expect([...listSteps(draft), ...(limits ?? [])].join('\n')).toContain(planned);
  });

  it('is asked', async () => {
    expect((await plan(planner(), asked)).result.kind).toBe('question');
  });
});

test.each([['get-sum with a: 2', ['3', '"3"', 'it is 3']]])(
  'a number that an operation needs is answered: %s',
  async (asked, answers) => {
    for (const answer of answers) {
      const { result } = await converse(planner(), [`call everything_${asked}`, answer]);
      expect(result).toMatchObject({ kind: 'answer', text: expect.stringContaining('5') });
    }
  },
);

test.each([
  'call http_get with url: "https://example.com/a", headers: {"$from": 5}',
  'call http_get with url: "https://example.com/a", headers: {"a": [{"$from": "1", "path": "text"}]}',
  'call http_get with url: "https://example.com/a", headers: {"$template": []}',
])('a reference that leads nowhere is refused: %s', async (asked) => {
  const { result } = await plan(planner(), asked);
  expect(result).toMatchObject({ kind: 'cannot', text: expect.stringContaining('must be {') });
});

test.each([
  ['call everything_echo with msg: hello', '“msg”. It takes message'],
  ['call memory_create_entities with entitis: []', '“entitis”. It takes entities and note'],
  ['write "a" to a.txt on 31 February at 9:00', 'There is no “31 February”'],
  ['remind me on 40 December at 9:00: call Ben', 'There is no “40 December”'],
  ['remind me 2026-02-31 at 9:00: call Ben', 'There is no “2026-02-31”'],
])('what is wrong is named: %s', async (asked, named) => {
  const { result } = await plan(planner(), asked);
  expect(result).toMatchObject({ text: expect.stringContaining(named) });
});

test.each(['yesterday at 9:00', 'yesterday at 9', 'yesterday'])(
  '%s has passed, so another day is asked for',
  async (when) => {
    const { result } = await plan(planner(), `remind me ${when}: call Ben`);
    expect(result).toMatchObject({ kind: 'question', questions: [{ id: 'date start 0' }] });
  },
);

test('the scope of a time is asked first and alone, and not of a command that has its own', async () => {
  const { result } = await plan(planner(), 'remind me "x" and remind me "y" tomorrow at 9:00');
  expect(result).toMatchObject({ questions: [{ id: 'scope 1' }] });
  expect(result.kind === 'question' && result.questions).toHaveLength(1);
  const timed = 'add "B" to the calendar on Friday at 9:00 and write "a" to a.txt tomorrow at 9:00';
  expect((await plan(planner(), timed)).result.kind).toBe('proposal');
});

test('a choice of the second question answers that question', async () => {
  const { result } = await converse(planner(), ['remind me tomorrow', '9:00']);
  expect(result).toMatchObject({ kind: 'question', questions: [{ id: 'text 0' }] });
  expect(result.kind === 'question' && result.questions).toHaveLength(1);
});

test.each([
  ['move a.txt to b.txt please', 'move a.txt to b.txt'],
  ['copy a.txt to b.txt, please, then delete a.txt', 'copy a.txt to b.txt, then delete a.txt'],
  ['ask Ana "ok?" and if yes delete old.txt', 'ask Ana "ok?", then if yes: delete old.txt'],
  [
    'for each row in orders.csv write "Dear <name>" to letters/<id>.md',
    'for each row in orders.csv: write "Dear <name>" to letters/<id>.md',
  ],
  [
    'fetch https://example.com and save it to page.html',
    'fetch https://example.com, then write the result to page.html',
  ],
])('“%s” plans the same as “%s”', async (loose, strict) => {
  const [first, second] = await Promise.all([plan(planner(), loose), plan(planner(), strict)]);
  expect(listSteps(proposalOf(first))).toEqual(listSteps(proposalOf(second)));
});

describe('help', () => {
  const ask = async (text: string) => {
    const { result } = await plan(planner(), text);
    return 'text' in result ? result.text : result.kind;
  };

  it('fits on a screen, and names what more there is', async () => {
    const text = await ask('help');
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
    const more = [...text.matchAll(/“(help \S+)”/g)].map(([, one = '']) => one);
    expect(more.length).toBeGreaterThan(8);
    for (const one of more)
      expect([one, await ask(one)]).toEqual([one, expect.stringMatching(/^(?:- |call )/m)]);
  });

  it('has everything, each form by its words, and the arguments of each operation', async () => {
    const all = await ask('help all');
    for (const { example } of [...forms, ...frames, ...changeForms, ...recurringForms])
      expect(all).toContain(example.split('\n')[0]);
    expect(await ask('help webhook')).toMatch(/^- post \{"go": true\} to /);
    expect(await ask('help deadline')).toContain('move the deadline to');
    expect(await ask('help sandwich')).toContain('No command matches “sandwich”');
    expect(await ask('help everything_get-sum')).toContain(
      'call everything_get-sum with {"a":1,"b":1}',
    );
  });
});

test.each([
  'call memory_create_entities',
  'call memory_create_entities with entities: Ana',
  'help memory_create_entities',
])('“%s” shows a command that plans once copied', async (asked) => {
  const { result } = await plan(planner(), asked);
  const shown = /^call .*$/m.exec('text' in result ? result.text : '')?.[0] ?? '';
  expect('text' in result && result.text).toContain('Optional arguments: note.');
  const [step] = listSteps(
    proposalOf(await plan(planner(), shown.replace('"name":"name"', '"name":"Ana"'))),
  );
  expect(step).toBe(
    '1 memory_create_entities {"entities":[{"name":"Ana","observations":["observations"]}]}',
  );
});

describe('what cannot be read', () => {
  const unread = [
    'make me a sandwich',
    'Hey, could you please make a file called shopping.txt with milk?',
    'delete everything in logs',
    'Remind Ben tomorrow at 9:00 to upload his slides',
    'Move invoices/inv-001.txt and inv-002.txt to invoices/paid/',
    'Tell the team in #general that the office is closed',
    'write "a" to a.txt and sing a song',
    'schedule a call with Zoe on 12/01 at 3',
    'Delete todo.txt only after Ana has confirmed',
    "Don't delete todo.txt",
    'every morning write "x" to a.txt',
    'post "a" here then',
    'post "a" here. Then',
    'delete ""',
    'delete folder " "',
    'move a.txt to ""',
    'call workspace_delete with {"path": "a.txt", "path": "b.txt"}',
    'ask Ana "ok?", then if yes: if no: post "x" here',
    'if yes: post "a" here or not',
    '“',
    '{"a": ',
  ];
  it.each([
    ['-', /^I can't read “-”/],
    ['what?', /^I read “what”, but something is missing/],
  ])('%j is answered with the words it has', async (text, answer) => {
    const { result } = await plan(planner(), text);
    expect('text' in result ? result.text : '').toMatch(answer);
  });

  it.each(unread)('%j is never planned, and its nearest forms plan', async (text) => {
    const { result } = await plan(planner(), text);
    if (result.kind !== 'question' && result.kind !== 'cannot') throw new Error(result.kind);
    expect(result.text).toContain('“help all” lists all commands');
    const options = result.kind === 'question' ? (result.questions[0]?.options ?? []) : [];
    for (const option of options) {
      const next = await plan(planner(), option.text);
      expect([option.text, next.result.kind]).toEqual([
        option.text,
        expect.stringMatching(/^(?:proposal|answer)$/),
      ]);
    }
  });

  it.each([
    "Don't delete todo.txt",
    'Delete todo.txt only after Ana has confirmed',
    'hello',
    'move nothing',
    'delete everything old please',
    'delete everything in logs',
  ])('offers nothing that cannot be undone for %j', async (text) => {
    const { result } = await plan(planner(), text);
    const options = result.kind === 'question' ? (result.questions[0]?.options ?? []) : [];
    expect(options.map((one) => one.text).join('\n')).not.toMatch(/^(?:delete|move)/m);
  });

  it.each([
    ['write hello to a.txt', 'write "hello" to a.txt'],
    ['Put milk, eggs and bread on shopping.txt', 'write "milk, eggs and bread" to shopping.txt'],
    ['remind me to call Ana or Ben tomorrow at 9', 'remind me "call Ana or Ben" tomorrow at 09:00'],
    ['Remind Ben to send the invoice', 'ask Ben "send the invoice"'],
    ['Remind me in 20 minutes to check the oven', 'remind me "check the oven" in 20 minutes'],
    ['ask Ana whether we ship Monday or Tuesday', 'ask Ana "whether we ship Monday or Tuesday"'],
    ["What's on my calendar tomorrow?", 'calendar tomorrow'],
    ['use everything_get-sum with a: 2, b: 3', 'call everything_get-sum with a: 2, b: 3'],
    ['find milk', 'find "milk"'],
    ['Make a file a.txt with milk, eggs and bread in it', 'write "milk, eggs and bread" to a.txt'],
    ['everything_get-sum with a: 2, b: 3', 'call everything_get-sum with a: 2, b: 3'],
    ['wait for 5 minutes', 'wait 5 minutes'],
    ['remnd me tomorrow at 9:00: standup', 'remind me "standup" tomorrow at 9:00'],
    ['wite "hi" to a.txt', 'write "hi" to a.txt'],
    ['call everything_get-sum with a=2 and b=3', 'call everything_get-sum with a: 2, b: 3'],
    ['call everything_echo {"message": "hi"}', 'call everything_echo with {"message": "hi"}'],
    [
      'call everything_echo with message: hello world',
      'call everything_echo with message: "hello world"',
    ],
    ['Cancel my reminder', 'reminders'],
    ['list my reminders', 'reminders'],
    ['put {"a": 1} on https://example.com/x', 'put {"a": 1} to https://example.com/x'],
    [
      'book a meeting with Bob on Friday at 3',
      'add "meeting with Bob" to the calendar on Friday at 15:00',
    ],
    ['what is in todo.txt', 'show todo.txt'],
    ['what files do I have?', 'what is in the workspace'],
    ['show me the files in logs', 'files in logs'],
    ['what do I have tomorrow', 'calendar tomorrow'],
    ['search for milk in logs', 'search "milk" in logs'],
    ['copy to b.txt the file todo.txt', 'copy todo.txt to b.txt'],
    ['move todo.txt to the archive', 'move todo.txt to archive/'],
    ['replace milk with oat milk in a.txt', 'replace "milk" with "oat milk" in a.txt'],
    [
      'schedule a call with Zoe on Friday at 3',
      'add "call with Zoe" to the calendar on Friday at 15:00',
    ],
    ['Remind me to call Bob tomorrow', 'remind me "call Bob" tomorrow at 9:00'],
    ['remind me every Friday to report', 'remind me "report" every Friday at 9:00'],
    ['wriet "A" to a.txt', 'write "A" to a.txt'],
    ['check https://example.com every hour', 'fetch https://example.com every hour'],
    ['send a message to Ana: can you see this?', 'ask Ana "can you see this?"'],
    ['tell #general that we ship today', 'post "we ship today" to #general'],
    [
      'Ask Bob if he can review the budget by Friday',
      'ask Bob "if he can review the budget by Friday"',
    ],
    [
      'Download https://example.com/a.json and save it to a.json',
      'fetch https://example.com/a.json and save it to a.json',
    ],
    ['write "a" to a.txt, then copy it to backup', 'write "a" to a.txt, then copy it to backup/'],
    [
      'add eggs to a.txt, then copy a.txt to backup',
      'add "eggs" to a.txt, then copy a.txt to backup/',
    ],
    [
      'every Friday at 16:00 remind me to submit my timesheet',
      'every Friday at 16:00 remind me "submit my timesheet"',
    ],
    ['fetch www.example.com', 'fetch https://www.example.com'],
    [
      'download https://example.com/a.json to a.json',
      'fetch https://example.com/a.json, then write the result to a.json',
    ],
    ['send {"a": 1} to https://example.com', 'post {"a": 1} to https://example.com'],
    ['POST https://example.com with body {"a": 1}', 'post {"a": 1} to https://example.com'],
    ['ask ben if lunch is ok', 'ask ben "if lunch is ok"'],
    ['ask Ben: Ship? If yes: post "go"', 'ask Ben "Ship?" If yes: post "go"'],
    ['ask Ben "Ship?"; if he says yes, post "go"', 'ask Ben "Ship?"; if yes, post "go"'],
    [
      'ask Ben "or else?" and if Ben agrees post "go", otherwise post "no"',
      'ask Ben "or else?" and if yes post "go", if no: post "no"',
    ],
  ])('offers the nearest form of “%s” first', async (text, nearest) => {
    const { result } = await plan(planner(), text);
    expect(result).toMatchObject({ questions: [{ id: 'command' }] });
    expect(result).toMatchObject({
      text: expect.stringContaining(`The nearest commands: “${nearest}”`),
    });
  });

  it.each([
    ['post hello to @bob', ['post "hello" to @bob', 'help']],
    ['Say hello in #ops', ['post "hello" to #ops', 'help']],
    ['post hello to "the team"', []],
  ])('offers where to post without a look-up: %s', async (text, offered) => {
    const asked: string[] = [];
    const posts: PlannerTools['posts'] = {
      list: async () => [],
      resolve: async (_, targets) => {
        asked.push(...targets);
        return new Map(targets.map((one) => [one, { pinned: one }]));
      },
    };
    const { result } = await plan(planner(posts), text);
    const options = result.kind === 'question' ? (result.questions[0]?.options ?? []) : [];
    expect({ asked, options: options.map((one) => one.text) }).toEqual({
      asked: [],
      options: offered,
    });
  });

  it.each([
    'copy a.txt or b.txt to c.txt',
    'Should I delete a.txt or b.txt?',
    'Move todo.txt to archive/ or delete it',
    'post "yes" or "no" to #general',
    'Remind me to water the plants every evening',
    'Schedule a meeting with Bob next Tuesday at 3pm',
    'Email ana@example.com "hi"',
    'delete a.txt, b.txt and c.txt',
    'check "eggs" in shopping.txt',
    'make a copy of todo.txt',
    'make draft.md say exactly what CHANGELOG.md says',
    'Ask me for the customer name and save it in customer.txt',
    'Ask Tom to approve the budget, and once he has, write approved to budget/status.txt',
    'Write a.txt saying hello world. Then b.txt saying bye.',
    'Ping our webhook https://example.com/b with the text "done", then remind me tomorrow at 10:00',
    'Remind Ben tomorrow morning to upload his slides',
    'Have Priya and Sam both sign off on draft.md',
    'schedule a call with Zoe on 12/01 at 3',
    'call it c.md',
    'call memory create_entities with name: Ana',
    'Approve',
    'make a backup of notes.txt',
    'add eggs to my shopping list',
    'tell me the weather in Berlin',
    'remind me at 25:00: x',
    'find milk in todo.txt',
    'remind me tomorrow at 9:00 that the meeting is at 10:00',
  ])('offers nothing that leaves out a part of “%s”', async (text) => {
    const { result } = await plan(planner(), text);
    expect(result).toMatchObject({ kind: 'cannot', text: expect.stringContaining('“help all”') });
    expect('text' in result && result.text).not.toContain('nearest');
  });

  it('keeps the commands around it in what it offers', async () => {
    const { result } = await plan(planner(), 'write "a" to a.txt; say "la" here');
    const [first] = result.kind === 'question' ? (result.questions[0]?.options ?? []) : [];
    expect(first?.text).toMatch(/^write "a" to a\.txt; /);
  });

  it.each([
    'write "a" to a.txt; remind Ben tomorrow at 9 to upload',
    'every Monday at 9:00 write "a" to a.txt\nsing "la" here',
    'show todo.txt; tell the team "hi"',
    'ask Ana "ok?", then if yes: sing "la" here; post "b" here',
    'ask Ana "ok?", then if yes: tell the team',
  ])('leaves nothing around it out of what it offers for %j', async (text) => {
    const { result } = await plan(planner(), text);
    const options = result.kind === 'question' ? (result.questions[0]?.options ?? []) : [];
    const [kept = ''] = text.split(/;|\n|(?:sing|tell) /);
    for (const option of options) if (option.text !== 'help') expect(option.text).toContain(kept);
    for (const [, offered = ''] of 'text' in result
      ? result.text.matchAll(/commands?: “(.*?)”/g)
      : [])
      expect(offered).toContain(kept);
  });

  it.each([
    ['make me a sandwich', 'delete old.txt'],
    ['trash old.txt', '1'],
    ['trash old.txt', 'delete old.txt'],
  ])('“%s” is answered by a command or its number: %s', async (asked, answer) => {
    const outcome = await converse(planner(), [asked, answer]);
    expect(listSteps(proposalOf(outcome))).toEqual(['1 workspace_delete {"path":"old.txt"}']);
  });
});

const refused = [
  'if yes: post "a" here',
  'write the result to a.txt',
  'every Monday at 9:00 write "a" to a.txt, then post "b" here',
  'for each row in orders.csv: write "x" to <nr>.md',
  'call everything_get-sum with a: 1, b: 2, c: 3',
  'write "a" to ../a.txt',
  'post "a" here tomorrow at 10:00, then post "b" here tomorrow at 9:00',
  'after 2 days post "a" here',
  'post "a" here until 1 June',
  'every day at 9:00 for 3 times post "a" here until 2 June',
  'wait 72 h, then post "a" here',
  'every day at 9:00 (UTC+2) write "a" to a.txt',
  'remind me on 1 March at 9:00 every Monday at 9:00: x',
  'tomorrow at 9:00 write "a" to a.txt every Monday at 9:00',
  'tomorrow at 9:00 add "M" to the calendar on 2 December at 15:00',
  'add "M" to the calendar from 2 December at 15:00 to 17:00 tomorrow at 9:00',
  'add "M" to the calendar from 2 December at 15:00 to 14:00',
  'write "a" to a.txt, then after 2 days every Monday at 9:00 write "b" to b.txt',
  'after 2 days every Monday at 9:00 write "b" to b.txt',
  'phase One after 2 days:\n- write "a" to a.txt',
  'remind me every Monday at 9:00 until 1 January 2020: x',
  'every Monday at 9:00 post "a" here until 2026-03-03',
  'every Monday at 9:00 post "a" here until Sunday',
  'remind me every Friday at 9:00 until tomorrow: x',
  'phase One:\n- for each row in orders.csv: post "<id>" here',
  'tomorrow at 9:00 calendar',
  'every Monday at 9:00 calendar',
  'post "x" here every Monday at 9:00 by Friday',
  'write "a" to a.txt, then after 2 days post "x" here tomorrow at 9:00',
  'tomorrow at 9:00 write "a" to a.txt, then after 2 days remind me: x',
];
it.each(refused)('says why it does not plan “%s”', async (text) => {
  const { result } = await plan(planner(), text);
  expect(result).toMatchObject({
    kind: 'cannot',
    text: expect.stringContaining('Nothing was planned'),
  });
});

it.each([
  ['write "a" to a.txt and write "b" to b.txt, then delete c.txt', ['1', '2', '3 <- 1,2']],
  ['write "a" to a.txt and copy a.txt to b.txt', ['1', '2 <- 1']],
  ['write "a" to a.txt. Write "b" to b.txt', ['1', '2 <- 1']],
  ['1. write "a" to a.txt\n2) write "b" to b.txt', ['1', '2 <- 1']],
  ['- write "a" to a.txt\n- write "b" to b.txt', ['1', '2']],
  ['write "a" to a.txt; then delete folder a; and post "x" here', ['1', '2 <- 1', '3 <- 1']],
  [
    'write "x" to x.txt, then write "a" to a.txt and after 2 days delete a.txt',
    ['1', '2 <- 1', '3 <- 1,2'],
  ],
  ['write "a" to a.txt\nphase One:\n- write "b" to b.txt', ['1', '2 <- 1']],
  [
    'write "a" to a.txt and write "b" to b.txt\nphase One:\n- write "c" to c.txt\n- write "d" to d.txt',
    ['1', '2', '3 <- 1,2', '4 <- 1,2'],
  ],
  [
    'write "a" to a.txt\nmilestone: Ready\nwrite "b" to b.txt\nphase One:\n- write "c" to c.txt',
    ['1', '2 <- 1', '3 <- 2'],
  ],
])('the order of “%s”', async (text, order) => {
  const { draft } = { draft: proposalOf(await plan(planner(), text)) };
  expect(listSteps(draft).map((line) => line.replace(/ [a-z_]+ \{.*\}/, ''))).toEqual(order);
});

test.each([
  ['call workspace_copy with path: a.txt, to: "inbox/"', '{"path":"a.txt","to":"inbox/"}'],
  ['please delete https://example.com/a', '"method":"DELETE"'],
  ['tomorrow at 9:00, put {"a": 1} to https://example.com/a', '"method":"PUT"'],
  ['ask Ana "ok?", then if yes: patch {"a": 1} to https://example.com/a', '"method":"PATCH"'],
  [
    'add "M" to the calendar from 2 July at 15:00 to 17:00',
    '"start":"2026-07-02T15:00:00+02:00","end":"2026-07-02T17:00:00+02:00"',
  ],
])('the arguments of “%s”', async (text, args) => {
  expect(listSteps(proposalOf(await plan(planner(), text))).join('\n')).toContain(args);
});

describe('a single word to a question', () => {
  test.each([
    ['create a.txt', 'no', '"content":"no"'],
    ['post here', 'Stop.', '"text":"Stop."'],
    ['ask Ana', 'stop', '"question":"stop"'],
    ['call workspace_delete with path: a, recursive: maybe', 'no', '"recursive":false'],
  ])('“%s” takes “%s” as its answer', async (asked, word, planned) => {
    const outcome = await converse(planner(), [asked, word]);
    expect(listSteps(proposalOf(outcome)).join('\n')).toContain(planned);
  });

  test.each([
    ['create a.txt', 'never mind'],
    ['create a.txt', 'cancel'],
    ['delete', 'no'],
    ['remind me: call Ben', 'stop'],
  ])('“%s” is withdrawn by “%s”', async (asked, word) => {
    const { result } = await converse(planner(), [asked, word]);
    expect(result).toMatchObject({ kind: 'answer', text: 'Dropped. Nothing has changed.' });
  });
});

const vocabulary = fc.constantFrom(
  ...forms.flatMap(({ spellings }) =>
    spellings.flatMap((one) => compile(one).flatMap((e) => (e.kind === 'words' ? e.words : []))),
  ),
  ...Object.values(words),
  ...['every Monday', 'until 1 June', 'after 2 days', 'takes 3 hours', 'by', 'at 9', 'tomorrow'],
  ...[
    'and',
    'then',
    ';',
    ',',
    '.',
    '\n',
    ':',
    '- ',
    'if yes:',
    'for each row in',
    'the result',
    'it',
  ],
  ...['not', 'never', 'only', '"', '“', '<id>', '{', 'please', '?', '!', "'", '\u0000', '𝒳'],
);

test('whatever the words, every one of them is in a command or joins two', () => {
  fc.assert(
    fc.property(fc.array(vocabulary, { maxLength: 14 }), (parts) => {
      const source = parts.join(' ');
      const found = read(source);
      if (found.kind !== 'request') return;
      let left = source;
      for (const command of found.request.commands) {
        expect(left).toContain(command.words);
        left = left.replace(command.words, () => '');
      }
      const { title, parts: named } = found.request;
      if (title === null && named.length === 0)
        expect(left).toMatch(/^(?:\s|[,;.]|and|then|please|outline first|:|- )*$/i);
    }),
    { numRuns: rounds(3000) },
  );
});

const offersOf = ({ result }: Awaited<ReturnType<typeof plan>>): string[] =>
  result.kind === 'question' && result.questions.some(({ id }) => id === 'command')
    ? result.questions.flatMap(({ options }) => (options ?? []).map(({ text }) => text))
    : [];

const verbs = forms.flatMap(({ spellings, near }) => [
  ...near.split(' '),
  ...spellings.flatMap((one) => compile(one)[0] ?? []),
]);
const orNone = (...some: string[]) => fc.constantFrom('', ...some);
/** As one talks: no quotation marks, times and places anywhere. */
const spoken = fc
  .tuple(
    fc.constantFrom(
      ...verbs.map((one) => (typeof one === 'string' ? one : 'words' in one ? one.words[0] : '')),
    ),
    orNone('me', 'Ana', 'a file called', 'all', '#general', 'the', 'my calendar'),
    fc.constantFrom(
      'milk and eggs',
      'a.txt',
      'if we ship',
      '"two"',
      'https://example.com',
      '{"a": 1}',
    ),
    orNone(
      'to b.txt',
      'to archive',
      'in logs',
      'to #ops',
      'with "B"',
      'in a.txt',
      'to the calendar',
    ),
    orNone('tomorrow', 'at 3', 'on Friday at 15:00', 'every Monday', 'by Friday', 'in 2 hours'),
    orNone('then delete c.txt', 'and post it here', 'if yes: post "x"', 'until June', '?'),
  )
  .map((words) => words.filter((one) => one !== '').join(' '));

test('whatever the words, the planner answers, asks or plans, and what it offers plans', async () => {
  let offered = 0;
  const parts = fc.array(vocabulary, { minLength: 1, maxLength: 8 });
  const requests = fc.oneof(
    parts.map((all) => all.join(' ')),
    { arbitrary: spoken, weight: 3 },
  );
  await fc.assert(
    fc.asyncProperty(requests, async (text) => {
      const outcome = await plan(planner(), text);
      const { result } = outcome;
      expect(result.kind).toMatch(/^(?:proposal|answer|cannot|question|rfc|escalation|aborted)$/);
      if (result.kind === 'aborted') expect(result.reason).not.toBe('internal');
      for (const offer of offersOf(outcome)) {
        const next = (await plan(planner(), offer)).result;
        expect([offer, next.kind]).toEqual([offer, expect.stringMatching(/^(?:proposal|answer)$/)]);
        if (next.kind === 'answer') expect(next.text).not.toContain('Nothing was planned');
        offered += 1;
      }
    }),
    { numRuns: rounds(1500) },
  );
  expect(offered).toBeGreaterThan(0);
});

test.each([
  "'a ".repeat(12_000),
  '{'.repeat(30_000),
  '"'.repeat(30_001),
  'write '.repeat(6000),
  'post "a" here;'.repeat(2500),
  '<'.repeat(30_000),
  'at 9 '.repeat(8000),
])('a long text is read within a moment (%#)', (text) => {
  const begun = performance.now();
  read(text);
  expect(performance.now() - begun).toBeLessThan(2000);
});

test('a long request that can’t be read is answered without holding others up', async () => {
  const unread = ['remind me milk and eggs tomorrow', 'write milk and eggs', 'ask Ana if we ship'];
  const words = [...Array(600).fill('write "A" to a.txt'), ...unread, ...unread].join(' then ');
  expect(offersOf(await plan(planner(), words))).toEqual([]);
});

test('every form is offered by the words it can begin with, while one is typed', () => {
  const offered = listCommands();
  const starting = (typed: string) =>
    offered.filter(({ starts }) => starts.some((start) => start.startsWith(typed)));
  for (const { example } of [...forms, ...recurringForms]) {
    const typed = example.slice(0, 3).toLowerCase();
    expect(starting(typed).map((one) => one.example)).toContain(example);
  }
  expect(starting('ren').map(({ example }) => example)).toEqual(['move todo.txt to archive/']);
});

test.each(recurringForms)(
  '$example is in the document and read as a whole',
  ({ example, effect }) => {
    expect(page).toContain(`| \`${example}\` | ${effect} |`);
    expect(readRecurringRequest(example)).not.toBeNull();
    expect(readRecurringRequest(`${example} and then tell Ben`)?.kind).not.toBe('ask_end');
  },
);

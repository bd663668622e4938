// The table of command forms. Read by parser, help, docs, suggestions and tests.
// Notation: words (`a|b`), optional words (`[in]`), slots (`{name:type}`), slots to ask for (`?name`). Slot names are arguments.
import { sayLength } from '#domain/length.ts';
import { isReference } from '#domain/plan/argument-kinds.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { onOneLine } from '#domain/words.ts';

type Thing = 'file' | 'target' | 'folder' | 'person' | 'address' | 'place' | 'plan' | 'step';
type Words = 'text' | 'rest' | 'data' | 'name' | 'operation' | 'arguments';
/** `rest`: from the colon to the line's end. `target`: a file, or a folder with a final slash. */
export type SlotType = Thing | Words | 'time' | 'clock' | 'span';

export type Form = {
  id: string;
  spellings: readonly string[];
  /** Null if the program answers itself. */
  operation: string | null;
  fixed?: JsonObject;
  /** Slots of files that change; others are read. */
  changes?: readonly string[];
  /** Usable in an answer, without a plan. */
  looks?: true;
  example: string;
  effect: string;
  describe?(args: JsonObject): string;
  near: string;
};

const say = (value: Json | undefined): string =>
  isReference(value)
    ? `the result of step ${value.$from}`
    : typeof value === 'string'
      ? value
      : JSON.stringify(value ?? '');
const quote = (value: Json | undefined): string =>
  typeof value === 'string' ? `"${onOneLine(value, 80)}"` : say(value);

export const forms: readonly Form[] = [
  {
    id: 'write',
    spellings: [
      'write|save|store {content:text} to|into|in|as {path:file}',
      'create|write [file] {path:file} : {content:rest}',
      'create|write [file] {path:file} saying {content:text}',
      'write {content:text} ?path',
      'create|write [file] {path:file} ?content',
      'create|write ?path ?content',
    ],
    operation: 'workspace_write',
    changes: ['path'],
    example: 'write "Standup at 9:30" to notes/today.md',
    effect: 'Writes a file with this text.',
    describe: ({ path }) => `Write ${say(path)}`,
    near: 'make put store note new file document',
  },
  {
    id: 'append',
    spellings: ['add|append {text:text} to {path:file}', 'add|append to {path:file} : {text:rest}'],
    operation: 'workspace_edit',
    fixed: { action: 'append' },
    changes: ['path'],
    example: 'add "milk" to shopping.txt',
    effect: 'Adds a line with this text at the end of the file.',
    describe: ({ path, text }) => `Add ${quote(text)} to ${say(path)}`,
    near: 'insert line list end',
  },
  {
    id: 'replace',
    spellings: ['replace {find:text} with|by {text:text} in {path:file}'],
    operation: 'workspace_edit',
    fixed: { action: 'replace' },
    changes: ['path'],
    example: 'replace "milk" with "oat milk" in shopping.txt',
    effect: 'Replaces the first text with the second one.',
    describe: ({ path, find, text }) =>
      `Replace ${quote(find)} with ${quote(text)} in ${say(path)}`,
    near: 'change swap edit correct substitute fix',
  },
  {
    id: 'copy',
    spellings: ['copy {path:file} to|into {to:target}', 'copy {path:file} ?to', 'copy ?path ?to'],
    operation: 'workspace_copy',
    fixed: { overwrite: true },
    changes: ['to'],
    example: 'copy todo.txt to backup/todo.txt',
    effect: 'Copies a file. A target ending in / is a folder.',
    describe: ({ path, to }) => `Copy ${say(path)} to ${say(to)}`,
    near: 'duplicate backup back up',
  },
  {
    id: 'move',
    spellings: ['move|rename {from:file} to|into {to:target}', 'move|rename {from:file} ?to'],
    operation: 'workspace_move',
    changes: ['from', 'to'],
    example: 'move todo.txt to archive/',
    effect: 'Moves or renames a file.',
    describe: ({ from, to }) => `Move ${say(from)} to ${say(to)}`,
    near: 'archive put shift',
  },
  {
    id: 'delete',
    spellings: ['delete [file] {path:file}', 'delete ?path'],
    operation: 'workspace_delete',
    changes: ['path'],
    example: 'delete old.txt',
    effect: 'Deletes a file for good.',
    describe: ({ path }) => `Delete ${say(path)}`,
    near: 'remove erase drop clean trash',
  },
  {
    id: 'delete folder',
    spellings: ['delete folder {path:folder}'],
    operation: 'workspace_delete',
    fixed: { recursive: true },
    changes: ['path'],
    example: 'delete folder drafts/old',
    effect: 'Deletes a folder with everything in it.',
    describe: ({ path, recursive }) =>
      `Delete ${say(path)}${recursive === true ? ' and everything in it' : ''}`,
    near: 'remove directory',
  },
  {
    id: 'read',
    spellings: ['show|read {path:file}', 'show|read ?path'],
    operation: 'workspace_read',
    looks: true,
    example: 'show todo.txt',
    effect: 'Shows the text of a file.',
    describe: ({ path }) => `Read ${say(path)}`,
    near: "open print display cat contents what says what's see view give",
  },
  {
    id: 'files',
    spellings: [
      '[list] [all] files',
      '[list] files in {path:folder}',
      'what is in the workspace',
      'list the workspace',
    ],
    operation: 'workspace_list',
    looks: true,
    example: 'files in logs',
    effect: 'Lists the workspace or one of its folders.',
    describe: ({ path }) =>
      `List ${path === undefined || path === '.' ? 'the workspace' : say(path)}`,
    near: "ls dir folder which there list show see give what's",
  },
  {
    id: 'find',
    spellings: [
      'find|search [for] {query:text}',
      'find|search [for] {query:text} in {path:folder}',
    ],
    operation: 'workspace_search',
    looks: true,
    example: 'find "milk" in logs',
    effect: 'Finds a text in a file, a folder or the workspace.',
    describe: ({ query, path }) =>
      `Find ${quote(query)} in ${path === undefined || path === '.' ? 'the workspace' : say(path)}`,
    near: 'grep look where locate contains',
  },
  {
    id: 'fetch',
    spellings: ['fetch|get {url:address}', 'fetch|get ?url'],
    operation: 'http_get',
    looks: true,
    example: 'fetch https://example.com',
    effect: 'Reads a web address.',
    describe: ({ url }) => `Fetch ${say(url)}`,
    near: 'download load page website check ping open visit',
  },
  {
    id: 'send',
    spellings: [
      'post|put|patch {body:data} to {url:address}',
      'post|put|patch|delete {url:address}',
    ],
    operation: 'http_request',
    example: 'post {"go": true} to https://example.com/hook',
    effect: 'Sends an HTTP request with this method and body.',
    describe: ({ method, url }) => `Send a ${say(method)} request to ${say(url)}`,
    near: 'webhook request hook api ping send body json data',
  },
  {
    id: 'post',
    spellings: [
      'post {text:text} here',
      'post {text:text} to|in {conversation:place}',
      'post {text:text}',
      'post to|in {conversation:place} : {text:rest}',
      'post [here] : {text:rest}',
      'post to|in {conversation:place} ?text',
      'post [here] ?text',
    ],
    operation: 'chat_post',
    example: 'post "The build is green" here',
    effect: 'Posts a message here, or with `to #general` in that channel of a connected chat.',
    describe: ({ text, conversation }) =>
      `Post ${quote(text)}${conversation === undefined ? '' : ` in ${say(conversation)}`}`,
    near: 'send say tell announce message write channel team share publish notify',
  },
  {
    id: 'ask',
    spellings: [
      'ask {assignee:person} {question:text}',
      'ask {assignee:person} : {question:rest}',
      'ask {assignee:person} ?question',
      'ask ?assignee ?question',
    ],
    operation: 'human_task',
    example: 'ask Ana "Please review notes.md"',
    effect:
      'Gives a person a task or a question. Followed by `if yes:`, it becomes a Yes/No question.',
    describe: ({ assignee, question }) =>
      `Ask ${assignee === undefined ? 'you' : say(assignee)} ${quote(question)}`,
    near: 'assign task question let have confirm approve whether tell send message remind dm ping get',
  },
  {
    id: 'remind',
    spellings: ['remind me {text:text}', 'remind me : {text:rest}', 'remind me ?text'],
    operation: 'reminder_set',
    example: 'remind me every weekday at 9:30: post the standup',
    effect: 'Reminds you. It needs a time: `tomorrow at 9:00`, `every Monday at 9:00`.',
    describe: ({ text }) => `Remind you of ${quote(text)}`,
    near: 'reminder alarm alert notify remember set timer',
  },
  {
    id: 'add event',
    spellings: [
      'add {title:text} to [the] calendar {start:time}',
      'add {title:text} to [the] calendar from {start:time} to {end:clock}',
      'add {title:text} to [the] calendar ?start',
    ],
    operation: 'calendar_add',
    example: 'add "Meeting with Zoe" to the calendar on 2 December at 15:00',
    effect: 'Adds an event to your calendar.',
    describe: ({ title }) => `Add ${quote(title)} to the calendar`,
    near: 'book schedule block event appointment meeting invite call',
  },
  {
    id: 'calendar',
    spellings: ['calendar', 'calendar {from:time}'],
    operation: 'calendar_read',
    looks: true,
    example: 'calendar tomorrow',
    effect: 'Shows what is in your calendar today, or on that day.',
    describe: () => 'Read the calendar',
    near: "agenda events appointments meetings what what's show my free see",
  },
  {
    id: 'wait',
    spellings: ['wait {seconds:span}', 'wait ?seconds'],
    operation: 'control_wait',
    example: 'wait 10 minutes',
    effect: 'Waits before the next command (up to a day).',
    describe: ({ seconds }) => `Wait ${sayLength(Number(seconds) / 60)}`,
    near: 'pause sleep delay hold',
  },
  {
    id: 'call',
    spellings: ['call {operation:operation} with {args:arguments}', 'call {operation:operation}'],
    operation: null,
    example: 'call workspace_move with from: old.txt, to: older.txt',
    effect:
      'Calls any connected operation by its name. A value is one word, a text in quotation marks, or JSON.',
    near: 'use run invoke execute tool operation',
  },
  {
    id: 'help',
    spellings: ['help', 'help {word:name}', 'what can you do'],
    operation: null,
    looks: true,
    example: 'help files',
    effect:
      'Lists the commands on a topic, or the arguments of an operation; “help all” lists everything.',
    near: 'how commands manual',
  },
  {
    id: 'plans',
    spellings: ['[list] [all] plans', 'plan|show|status {plan:plan}'],
    operation: null,
    looks: true,
    example: 'plans',
    effect: 'Lists open plans; with a plan number, shows that plan.',
    near: 'list show all pending see',
  },
  {
    id: 'status',
    spellings: ['status'],
    operation: null,
    looks: true,
    example: 'status',
    effect: 'Shows what is running.',
    near: 'running progress going doing',
  },
  {
    id: 'waiting',
    spellings: ['what is waiting for me', 'what waits for me', "what's waiting for me"],
    operation: null,
    looks: true,
    example: 'what is waiting for me',
    effect: 'Lists the plans that wait for a decision.',
    near: 'pending approval open todo show',
  },
  {
    id: 'reminders',
    spellings: ['reminders'],
    operation: null,
    looks: true,
    example: 'reminders',
    effect: 'Lists your reminders and recurring steps, each with its name.',
    near: 'recurring repeating upcoming reminder cancel stop list show see all',
  },
];

export type Note = { example: string; effect: string };

const notesOf = (effects: Record<string, string>): Note[] =>
  Object.entries(effects).map(([example, effect]) => ({ example, effect }));

export const frames = notesOf({
  'post "go" here on 2 December at 14:00':
    'Starts the command at that time. After a command, it applies to that command; at the start of a line, to the whole line. A time may name its zone: `at 22:00 Berlin`.',
  'write "A" to a.txt, then after 2 days write "B" to b.txt':
    'Starts the command this long after the previous one; `2 days later` means the same.',
  'every Monday at 9:00 write "done" to reports/week.md until 1 June':
    'Repeats the command; also `every first Monday of the month`, `every day at 9:00 for 5 times`, `until June`. Nothing can follow a repeated command.',
  'ask Ana "Please review notes.md" takes 3 working days by 20 December at 17:00':
    'Sets how long it takes and its deadline.',
  'ask Ana "Shall we ship?", then if yes: post "shipping" here':
    'Runs the rest of the line only if the previous question gets that answer.',
  'fetch https://example.com, then write the result to page.txt':
    'Uses the output of the previous command as text.',
  'write "A" to a.txt, then move it to archive/':
    'Uses the file that the previous command wrote or moved.',
  'for each row in orders.csv: write "Dear <name>" to letters/<id>.md':
    "Creates one step per row; `<name>` is that row's value in the column.",
  'for each row in orders.csv: write "Dear <name>" to letters/<id>.md, then summarise to all.md':
    'Writes one summary of all rows at the end.',
  'for each file in logs: move <path> to archive/<name>':
    'Creates one step per file; `<path>` includes the folder, `<name>` does not.',
  'outline first: write "A" to a.txt, then delete old.txt':
    'At the start of a request: shows an outline first.',
  'plan Launch:\nphase Texts:\n- write "go" to kickoff.md\nphase Publish after 2 days:\n- post "We launch" here\nmilestone: Launch is done':
    'Names the plan and its phases. Each phase starts when the previous one is done.',
});

/** Whole messages that change reminders and recurring steps. */
export const recurringForms = notesOf({
  'skip REM-3f9a1c20': 'Skips the next occurrence of a reminder or recurring plan.',
  'change REM-3f9a1c20 to every Tuesday at 9:00':
    'Changes when it repeats. For a recurring plan, this needs an approval.',
  'change REM-3f9a1c20: post the minutes': 'Changes its text.',
  'end REM-3f9a1c20': 'Ends it, after you confirm.',
});

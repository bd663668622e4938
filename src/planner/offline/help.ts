// Help on commands.
import type { CommandForm } from '#domain/planning/command-form.ts';
import type { Json } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { capitalise, listOf, shorten } from '#domain/words.ts';
import { changeForms } from '../commands/change-forms.ts';
import { forms, frames, type Note, recurringForms } from '../commands/forms.ts';
import { startsOf } from '../commands/match.ts';
import { showCall } from './call-arguments.ts';

export const connectModel =
  'To ask in your own words, connect a model: in the console under Settings, Models, or with OPENAI_API_KEY.';

const ofTools = (names: RegExp): Note[] =>
  forms.filter(({ operation }) => operation !== null && names.test(operation));

const topics: Record<string, readonly Note[]> = {
  files: ofTools(/^workspace_/),
  web: ofTools(/^http_/),
  people: ofTools(/^(?:chat|human|reminder|calendar)_/),
  times: frames,
  operations: forms.filter(({ id }) => id === 'wait' || id === 'call'),
  plans: forms.filter(({ operation, looks }) => operation === null && looks === true),
  changes: changeForms,
  reminders: recurringForms,
};

const first = ['write', 'append', 'move', 'read', 'fetch', 'remind', 'post', 'ask', 'plans'];

const exampleIn = ({ example }: Note): string =>
  example.split('\n')[0] + (example.includes('\n') ? ' …' : '');
const lineOf = (note: Note): string => `- ${exampleIn(note)} (${note.effect.replace(/\.$/, '')})`;
const more = `For more: ${listOf([...Object.keys(topics), 'all'].map((topic) => `“help ${topic}”`))}.`;

function firstScreen(): string {
  return [
    'No model is connected, so I read fixed commands. Put texts in quotation marks, or after a colon. Join commands with “then”, or write one per line:',
    ...forms.filter(({ id }) => first.includes(id)).map((form) => `- ${exampleIn(form)}`),
    ...frames
      .filter(({ example }) => /^(?:every|for each row)/.test(example))
      .slice(0, 2)
      .map((frame) => `- ${exampleIn(frame)}`),
    '- call workspace_move with from: old.txt, to: older.txt (any connected operation; “help workspace_move” shows its arguments)',
    'Each change becomes a plan that waits for you. Reply “approve”, “reject”, “undo”, or what should change: “step 1 text: …”, “change the time to 10:00”.',
    'You can also build a plan by form: “Build a plan” in the console and the chats, “countersign build” in the terminal.',
    more,
    connectModel,
  ].join('\n');
}

/** Forms with the word, or suggested for it. */
function findForms(word: string): Note[] {
  const own = [...forms, ...changeForms].filter(({ spellings, id }) =>
    [id, ...spellings].some((one) => one.split(/[ |]/).includes(word)),
  );
  return own.length > 0 ? own : forms.filter(({ near }) => near.split(' ').includes(word));
}

export function writeHelp(manifest: readonly OperationSpec[], about?: Json): string {
  if (about === undefined) return firstScreen();
  const word = String(about).toLowerCase();
  if (word === 'all')
    return Object.entries(topics)
      .flatMap(([topic, notes]) => [`${capitalise(topic)}:`, ...notes.map(lineOf)])
      .concat('“playbooks” lists saved plans. See docs/commands.md for everything.', connectModel)
      .join('\n');
  const spec = manifest.find(({ name }) => name.toLowerCase() === word);
  if (spec !== undefined) return `${shorten(spec.description, 500)}\n\n${showCall(spec)}`.trim();
  const notes = topics[word] ?? findForms(word);
  return notes.length === 0
    ? `No command matches “${shorten(word, 60)}”. ${more}`
    : notes.map(lineOf).join('\n');
}

export function listCommands(): CommandForm[] {
  const whole = forms.map(({ example, effect, spellings }) => {
    return { example, effect, starts: [...new Set(spellings.flatMap(startsOf))] };
  });
  const framed = [...frames, ...recurringForms]
    .filter(({ example }) => !example.includes('\n'))
    .map((note) => ({ ...note, starts: [note.example.split(/[ :"]/, 1)[0]?.toLowerCase() ?? ''] }));
  return [...whole, ...framed];
}

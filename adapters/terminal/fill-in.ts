// A form, field by field, reviewed before sending.
import { describeField } from '#cards/form-fields.ts';
import type { Ask, Field } from '#cards/view.ts';
import { type FieldValue, readField } from '#domain/plan/answer.ts';
import { showWhole } from '#domain/shown-text.ts';
import { drawLines } from './draw.ts';
import type { Session } from './session.ts';

export type Filled = Record<string, FieldValue>;

/** Up to an empty line; null if the input ends. */
export async function askLines(session: Session): Promise<string | null> {
  const lines: string[] = [];
  for (;;) {
    const line = await session.ask('  › ');
    if (line === null) return lines.length === 0 ? null : lines.join('\n');
    if (line.trim() === '') return lines.join('\n');
    lines.push(line);
  }
}

/** Unless an option has that name. */
function byNumber({ options }: Field, line: string): string {
  const text = line.trim();
  const named = options.some(({ value, name }) => value === text || name === text);
  const numbered = /^\d{1,2}$/.test(text) ? options[Number(text) - 1] : undefined;
  return named || numbered === undefined ? line : numbered.value;
}

/** A choice's label too. */
const asAsked = (field: Field) => ({
  ...field,
  options: field.options.map(({ value, name }) => ({ value, label: name })),
});

function showField(session: Session, field: Field): void {
  const skip = field.required ? '' : ' Press Enter to skip.';
  const ends = field.type === 'multiline' ? ' Finish with an empty line.' : '';
  const words = describeField(field, true);
  session.say('', ...drawLines(`${words}.${skip}${ends}`, session.screen));
  if (field.type !== 'choice') return;
  const list = field.options.map(({ label }, index) => `  ${index + 1}  ${label}`);
  session.say(...list.flatMap((line) => drawLines(line, session.screen)));
}

/** Until valid; undefined without an answer. */
async function askField(session: Session, field: Field): Promise<FieldValue | undefined> {
  showField(session, field);
  for (;;) {
    const line = field.type === 'multiline' ? await askLines(session) : await session.ask('  › ');
    if (line === null || session.signal.aborted) return undefined;
    const read = readField(asAsked(field), field.type === 'choice' ? byNumber(field, line) : line);
    if (read.ok) return read.value;
    session.event('error', { code: 'invalid_answer', field: field.name, message: read.message });
    session.say(...drawLines(read.message, session.screen));
  }
}

function showFilled(session: Session, fields: Field[], filled: Filled): void {
  const lines = fields.map(({ name, label, options }) => {
    const value = filled[name] ?? null;
    if (value === null) return `${label}: (left out)`;
    if (typeof value === 'boolean') return `${label}: ${value ? 'yes' : 'no'}`;
    return `${label}: ${options.find((option) => option.value === value)?.label ?? value}`;
  });
  session.say('', ...lines.flatMap((line) => drawLines(showWhole(line), session.screen)), '');
}

/** Null without an answer. */
export async function fillIn(session: Session, { fields }: Ask): Promise<Filled | null> {
  for (;;) {
    const filled: Filled = {};
    for (const field of fields) {
      const value = await askField(session, field);
      if (value === undefined) return null;
      filled[field.name] = value;
    }
    showFilled(session, fields, filled);
    const word = await askWord(session);
    if (word !== 'again') return word === 'send' ? filled : null;
  }
}

async function askWord(session: Session): Promise<'send' | 'again' | 'quit'> {
  for (;;) {
    const line = await session.ask('  [s]end  [a]gain  [q]uit › ');
    if (line === null || session.signal.aborted) return 'quit';
    const word = line.trim().toLowerCase();
    if (word === 's' || word === 'send') return 'send';
    if (word === 'a' || word === 'again') return 'again';
    if (word === 'q' || word === 'quit') return 'quit';
  }
}

/** One line of JSON, or null. The server validates. */
export function readJsonLine(line: string): Filled | null {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Filled) : null;
  } catch (error) {
    // An ordinary answer.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

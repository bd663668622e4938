// Commands offered while one types: each example of the table, with the words that it can begin with.
import type { CommandForm } from '#domain/planning/command-form.ts';
import { forms, frames, type Note, recurringForms } from './forms.ts';
import { startsOf } from './match.ts';

const firstWord = ({ example }: Note): string => example.split(/[ :"]/, 1)[0]?.toLowerCase() ?? '';

export function listCommands(): CommandForm[] {
  const whole = forms.map((form) => ({
    ...form,
    starts: [...new Set(form.spellings.flatMap(startsOf))],
  }));
  const framed = [...frames, ...recurringForms]
    .filter(({ example }) => !example.includes('\n'))
    .map((note) => ({ ...note, starts: [firstWord(note)] }));
  return [...whole, ...framed].map(({ example, effect, starts }) => ({ example, effect, starts }));
}

// Commands offered while one types: each example of the table, with the words that it can begin with.
import type { CommandForm } from '#domain/planning/command-form.ts';
import { type Form, forms, frames, type Note, recurringForms } from './forms.ts';
import { compile } from './match.ts';

/** The words before the first slot, in each of their alternatives. */
function startsOf({ spellings }: Form): string[] {
  return spellings.flatMap((spelling) => {
    let starts = [''];
    for (const element of compile(spelling)) {
      if (element.kind !== 'words') break;
      if (element.optional) continue;
      starts = starts.flatMap((start) => element.words.map((word) => `${start}${word} `));
    }
    return starts.map((start) => start.trim()).filter((start) => start !== '');
  });
}

const firstWord = ({ example }: Note): string => example.split(/[ :"]/, 1)[0]?.toLowerCase() ?? '';

export function listCommands(): CommandForm[] {
  const whole = forms.map((form) => ({ ...form, starts: [...new Set(startsOf(form))] }));
  const framed = [...frames, ...recurringForms]
    .filter(({ example }) => !example.includes('\n'))
    .map((note) => ({ ...note, starts: [firstWord(note)] }));
  return [...whole, ...framed].map(({ example, effect, starts }) => ({ example, effect, starts }));
}

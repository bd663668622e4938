// Offers commands that begin with the words typed.
import type { CommandForm } from '#domain/planning/command-form.ts';
import { get } from './api.ts';
import { changeNow, state } from './store.ts';

const most = 6;
let forms: Promise<CommandForm[]> | null = null;

/** Read on first use; no offers if that fails. */
function readForms(): Promise<CommandForm[]> {
  forms ??= get<{ commands: CommandForm[] }>('/api/commands').then(
    ({ commands }) => commands,
    () => {
      forms = null;
      return [];
    },
  );
  return forms;
}

/** The last command as typed, and its start. */
function lastCommand(text: string): { words: string; from: number } {
  const [, before = ''] = /^([\s\S]*(?:\n|; | then ))/.exec(text) ?? [];
  const rest = text.slice(before.length);
  const words = rest.trimStart();
  return { words, from: text.length - words.length };
}

export function closeCommands(): void {
  if (state.commands !== null)
    changeNow((s) => {
      s.commands = null;
    });
}

export async function offerCommands(read: () => string): Promise<void> {
  if (document.body.dataset.model !== 'none') return;
  const all = await readForms();
  const { words } = lastCommand(read());
  const typed = words.toLowerCase();
  const found =
    typed.length < 2
      ? []
      : all.filter(({ starts }) => starts.some((start) => start.startsWith(typed))).slice(0, most);
  if (found.length === 0) return closeCommands();
  changeNow((s) => {
    s.commands = { found, at: -1 };
  });
}

/** Past either end, nothing is selected. */
export function moveCommand(by: 1 | -1): void {
  changeNow((s) => {
    if (s.commands === null) return;
    const { found, at } = s.commands;
    const next = at + by;
    s.commands = { found, at: next < -1 ? found.length - 1 : next >= found.length ? -1 : next };
  });
}

export const chosenCommand = (): CommandForm | undefined =>
  state.commands?.found[state.commands.at];

/** Inserts the example; returns its first part to replace. */
export function completeCommand(
  text: string,
  { example }: CommandForm,
): { text: string; from: number; to: number } {
  const { from } = lastCommand(text);
  const quoted = /"([^"]*)"/.exec(example);
  const last = example.lastIndexOf(' ') + 1;
  const [begin, end] =
    quoted === null
      ? [last, example.length]
      : [quoted.index + 1, quoted.index + 1 + (quoted[1] ?? '').length];
  return { text: text.slice(0, from) + example, from: from + begin, to: from + end };
}

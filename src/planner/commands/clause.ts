// A clause with what was said of it, and what "it" means behind it.
import type { Clause, Command } from './command.ts';
import { placeFor } from './forms.ts';
import type { Reading } from './match.ts';
import type { Modifiers } from './modifiers.ts';

export const emptyClause: Omit<Clause, 'command' | 'tool' | 'words'> = {
  follows: false,
  start: null,
  lag: null,
  takes: null,
  deadline: null,
  rule: null,
  gate: null,
  if: null,
  part: null,
};

/** The clause with its modifiers; null where both say a time, so that one would be lost. */
export function applyModifiers(clause: Clause, said: Modifiers): Clause | null {
  const { moment, range, length, lag, gate, takes, deadline, until } = said;
  const open = clause.rule ?? said.rule;
  if (until !== null && (open === null || open.until !== null || clause.command.do === 'remind'))
    return null;
  const rule = said.rule === null || until === null ? said.rule : { ...said.rule, until };
  const twice = (a: unknown, b: unknown) => a != null && b != null;
  if (
    twice(clause.gate, gate) ||
    twice(clause.takes, takes) ||
    twice(clause.deadline, deadline) ||
    twice(clause.start, moment) ||
    twice(clause.rule, rule) ||
    twice(clause.rule ?? rule, clause.start ?? moment)
  )
    return null;
  const next = {
    ...clause,
    lag: clause.lag ?? lag,
    gate: clause.gate ?? gate,
    takes: clause.takes ?? takes,
    deadline: clause.deadline ?? deadline,
  };
  const { command } = clause;
  if (command.do === 'remind') {
    if ((moment !== null || rule !== null) && (command.at !== null || command.rule !== null))
      return null;
    if (range !== null || length !== null || (rule !== null && rule.until !== null)) return null;
    const assumedHour =
      command.assumedHour || moment?.assumedHour === true || rule?.assumedHour === true;
    return {
      ...next,
      command: {
        ...command,
        at: command.at ?? moment?.iso ?? null,
        rule: command.rule ?? rule,
        assumedHour,
      },
    };
  }
  if (command.do === 'event') {
    if (moment === null && range === null) return command.start === '' ? null : next;
    if (command.start !== '' || rule !== null) return null;
    const timed = said.event;
    return timed === null ? null : { ...next, command: { ...command, ...timed } };
  }
  if (range !== null || length !== null) return null;
  return {
    ...next,
    rule: clause.rule === null ? rule : until === null ? clause.rule : { ...clause.rule, until },
    start:
      clause.start ??
      (moment === null ? null : { iso: moment.iso, assumedHour: moment.assumedHour }),
  };
}

/** What "it" means for the next command. */
export function moveFocus(focus: Reading['focus'], command: Command): Reading['focus'] {
  switch (command.do) {
    case 'write':
      return { paths: command.paths, output: false };
    case 'edit':
      return { paths: [command.path], output: false };
    case 'read':
      return { paths: [command.path], output: true };
    case 'move': {
      const [to = ''] = command.to;
      return command.files.kind === 'set'
        ? { paths: [], output: false }
        : { paths: command.files.paths.map((one) => placeFor(one, to)), output: false };
    }
    // The copy, or what was copied: either may be meant.
    case 'copy':
      return { paths: [], output: false };
    case 'delete':
      return { paths: command.files.kind === 'set' ? [] : command.files.paths, output: false };
    case 'fetch':
    case 'request':
      return { paths: [], output: true };
    case 'call':
      return { ...focus, output: true };
    default:
      return { ...focus, output: false };
  }
}

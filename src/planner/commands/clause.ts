// A clause with what was said of it, and what "it" means behind it.
import type { Clause, Command } from './command.ts';
import { placeFor } from './forms.ts';
import type { Reading } from './match.ts';
import type { Modifiers } from './modifiers.ts';
import type { Rule } from './times.ts';
import { tokenize } from './tokens.ts';

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
  const { command } = clause;
  const own = command.do === 'remind' ? command.rule : clause.rule;
  const open = own ?? said.rule;
  if (until !== null && (open === null || open.until !== null)) return null;
  const ended = (one: Rule | null) => one && { ...one, until: until ?? one.until };
  const rule = ended(said.rule);
  const pairs: [unknown, unknown][] = [
    [clause.gate, gate],
    [clause.takes, takes],
    [clause.deadline, deadline],
    [clause.start, moment],
    [clause.rule, rule],
    [clause.rule ?? rule, clause.start ?? moment],
  ];
  if (pairs.some(([a, b]) => a != null && b != null)) return null;
  const next = {
    ...clause,
    lag: clause.lag ?? lag,
    gate: clause.gate ?? gate,
    takes: clause.takes ?? takes,
    deadline: clause.deadline ?? deadline,
  };
  if (command.do === 'remind') {
    if ((moment !== null || rule !== null) && (command.at !== null || command.rule !== null))
      return null;
    if (range !== null || length !== null) return null;
    const assumedHour =
      command.assumedHour || moment?.assumedHour === true || rule?.assumedHour === true;
    return {
      ...next,
      command: {
        ...command,
        at: command.at ?? moment?.iso ?? null,
        rule: ended(own) ?? rule,
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
    rule: ended(own) ?? rule,
    start:
      clause.start ??
      (moment === null ? null : { iso: moment.iso, assumedHour: moment.assumedHour }),
  };
}

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
    case 'check':
    case 'request':
      return { paths: [], output: true };
    case 'ask': {
      // "Ask Ana to review draft.md, then delete it"
      const paths = tokenize(command.question).filter(({ kind }) => kind === 'path');
      return {
        paths: paths.length > 0 ? paths.map((one) => one.value) : focus.paths,
        output: false,
      };
    }
    case 'call':
      return { ...focus, output: true };
    default:
      return { ...focus, output: false };
  }
}

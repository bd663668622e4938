// `countersign policy`: communication preferences.
import {
  calendarWords,
  describeCalendar,
  describeEffect,
  describeValue,
  sliderNames,
  sliders,
} from '#cards/policy-words.ts';
import { CountersignError } from '#domain/errors.ts';
import { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { PolicyChange, PolicyView, Service } from '#domain/service.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { padText, type TerminalIo } from './screen.ts';
import { inSession, printJson, type Session } from './session.ts';

export type PolicyOptions = {
  user: string;
  timezone: string;
  verb: 'show' | 'set' | 'reset';
  /** `slider=value`, for `set`. */
  values: string[];
  json?: boolean;
};

const parsers: Record<string, (text: string) => unknown> = {
  talkativeness: readNumber,
  probing_depth: readNumber,
};

function readNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function describeRange(name: string): string {
  const words = Object.entries(sliders).find(([slider]) => slider === name)?.[1];
  if (words === undefined) return '';
  if (words.kind === 'choice')
    return listOf(
      words.choices.map(({ value }) => value),
      'or',
    );
  return name === 'probing_depth' ? '0, 1, 2 or 3' : `a number from ${words.min} to ${words.max}`;
}

const settings = listOf([...sliderNames, calendarWords.name]);

/** @returns the settings, or the problem in a sentence */
function readValues(
  values: string[],
): Pick<PolicyChange, 'policy' | 'calendar'> | { problem: string } {
  if (values.length === 0) {
    return {
      problem: `Pass NAME=VALUE, such as conversation_style=concise. Settings: ${settings}.`,
    };
  }
  let calendar: string | undefined;
  const given: Record<string, unknown> = {};
  for (const one of values) {
    const [name = '', ...rest] = one.split('=');
    if (name.trim() === calendarWords.name) {
      calendar = rest.join('=');
      continue;
    }
    const known = sliderNames.find((slider) => slider === name.trim().replaceAll('-', '_'));
    if (known === undefined) {
      return {
        problem: `Unknown setting ${quoteWords(name, 200)}. Settings: ${settings}.`,
      };
    }
    const text = rest.join('=').trim();
    const value = parsers[known]?.(text) ?? text;
    if (!InteractionPolicy.shape[known].safeParse(value).success) {
      return {
        problem: `${known} is ${describeRange(known)}, not ${text === '' ? 'empty' : quoteWords(text, 200)}.`,
      };
    }
    given[known] = value;
  }
  return { policy: PolicyOverride.parse(given), ...(calendar === undefined ? {} : { calendar }) };
}

function print(session: Session, view: PolicyView): ExitCode {
  const { screen, options } = session;
  if (options.json === true) return printJson(session, view);
  const width = Math.max(...sliderNames.map((name) => name.length));
  const values = sliderNames.map((name) => describeValue(name, view.policy));
  const column = Math.max(...values.map((value) => value.length));
  for (const [index, name] of sliderNames.entries()) {
    const own = view.set[name] === undefined ? '' : ' · set by you';
    const effect = screen.style('dim', `${describeEffect(name, view.policy)}${own}`);
    const value = padText(values[index] ?? '', column);
    if (screen.width() >= 70) session.say(`  ${padText(name, width)}  ${value}  ${effect}`);
    else session.say(`  ${name}: ${values[index] ?? ''}${own}`);
  }
  const { name } = calendarWords;
  session.say(`  ${padText(name, width)}  ${describeCalendar(view.calendar)}`);
  return exitCodes.done;
}

/** @returns an exit code */
export async function policy(
  service: Service,
  options: PolicyOptions,
  io: TerminalIo,
): Promise<number> {
  return inSession(service, options, io, async (session) =>
    print(session, await carryOut(session, options)),
  );
}

async function carryOut(session: Session, { verb, values, user }: PolicyOptions) {
  const { service, actor } = session;
  switch (verb) {
    case 'show':
      return service.getPolicy(user);
    case 'reset':
      return service.setPolicy(user, { policy: {}, keep: false }, actor);
    case 'set': {
      const read = readValues(values);
      if ('problem' in read) throw new CountersignError('invalid_request', read.problem);
      return service.setPolicy(user, { ...read, keep: true }, actor);
    }
    default:
      return verb satisfies never;
  }
}

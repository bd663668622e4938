// `countersign playbook`: saved plans, proposed again with other values.
import { commandName } from '#domain/command-name.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Playbook, PlaybookName, PlaybookValues } from '#domain/plan/playbook.ts';
import type { Service } from '#domain/service.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { exitCodes } from './exit-codes.ts';
import type { TerminalIo } from './screen.ts';
import { inSession, printJson, type Session } from './session.ts';

export type PlaybookOptions = {
  user: string;
  timezone: string;
  verb: 'list' | 'show' | 'save' | 'run' | 'remove';
  /** Plan and name; or name and, for `run`, `customer=ACME`. */
  words: string[];
  /** For `save`. */
  param?: string[];
  default?: string[];
  json?: boolean;
};

/** @returns an exit code */
export async function playbook(
  service: Service,
  options: PlaybookOptions,
  io: TerminalIo,
): Promise<number> {
  return inSession(service, options, io, async (session) => {
    const { data, lines } = await carryOut(session, options);
    if (options.json === true) return printJson(session, data);
    session.say(...lines);
    return exitCodes.done;
  });
}

function refuse(message: string): CountersignError {
  return new CountersignError('invalid_request', message);
}

/** `customer=ACME` */
function readValues(pairs: string[]): PlaybookValues {
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw refuse(`"${pair}" is no value. Write it as customer=ACME.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const names = entries.map(([name]) => name);
  if (new Set(names).size < names.length) throw refuse('A parameter is given twice.');
  const values = PlaybookValues.safeParse(Object.fromEntries(entries));
  if (values.success) return values.data;
  throw refuse(
    'Names of parameters are words of letters, digits, hyphens and underscores; a value has 1 to 2,000 characters.',
  );
}

function readName(input: string | undefined): string {
  const name = PlaybookName.safeParse(input ?? '');
  if (name.success) return name.data;
  throw refuse('Pass a playbook name: letters, digits and hyphens, such as close-month.');
}

function describe({ name, title, version, params, owner, total_steps }: Playbook): string[] {
  const values = params.map(({ name: param, text, optional }) =>
    optional ? `[${param}=${quoteWords(text, 60)}]` : `${param}=…`,
  );
  return [
    `${[name, ...values].join(' ')}  ${quoteWords(title, 300)}`,
    `  ${countOf(total_steps, 'step')}, version ${version}, by ${quoteName(owner, 120)}`,
  ];
}

async function carryOut(
  { service, actor }: Session,
  options: PlaybookOptions,
): Promise<{ data: unknown; lines: string[] }> {
  const { verb, words } = options;
  const [first, ...others] = words;
  switch (verb) {
    case 'list': {
      const playbooks = await service.listPlaybooks(actor);
      const lines = playbooks.flatMap(describe);
      return { data: { playbooks }, lines };
    }
    case 'show': {
      const found = await service.getPlaybook(readName(first), actor);
      const { params } = found.playbook;
      const lines = [
        ...describe(found.playbook),
        ...params.map(
          ({ name, text, places }) =>
            `  ${name} stands for ${quoteWords(text, 200)}, ${countOf(places, 'time')}`,
        ),
        ...found.draft.steps.map(
          ({ id, description, tool, operation }) =>
            `  ${id ?? ''}. ${quoteWords(description, 200)} (${tool}_${operation})`,
        ),
      ];
      return { data: found, lines };
    }
    case 'save': {
      if (first === undefined) throw refuse('Give the plan and a name: playbook save PLAN-… NAME');
      const saved = await service.savePlaybook(
        first,
        {
          name: readName(others[0]),
          params: readValues(options.param ?? []),
          defaults: readValues(options.default ?? []),
        },
        actor,
      );
      return { data: saved, lines: describe(saved) };
    }
    case 'run': {
      const checked = await service.checkPlaybookRun(
        readName(first),
        readValues(others),
        { user: options.user },
        actor,
      );
      const plan = await service.commit(checked);
      const look = `Look at it and approve it: ${commandName} plans ${plan.id}`;
      return {
        data: plan,
        lines: [`${plan.id} is proposed: ${quoteWords(plan.title, 300)}`, look],
      };
    }
    case 'remove': {
      const removed = await service.removePlaybook(readName(first), actor);
      return { data: removed, lines: [`${removed.name} is removed. Plans made of it stay.`] };
    }
    default:
      return verb satisfies never;
  }
}

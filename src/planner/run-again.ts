// Proposes an earlier plan or playbook with other values, without a planner.
import { CountersignError } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import type { PlannerTools } from './ports.ts';

const maxText = 4000;
const planAgain = /^run (PLAN-[0-9a-f]{8}) again\b/i;
const playbookRun = /^(?:run|use|start) (?:the )?playbook ([a-z0-9][a-z0-9_.-]{0,79})(?=[\s,]|$)/i;
const maybePlaybook = /^(?:run|use|start) (?:the )?([a-z0-9][a-z0-9_.-]{0,79})(?=[\s,]|$)/i;
const asksForList =
  /^(?:(?:list|show|show me|which|run) )?(?:the |my |a )?playbooks?(?: are there)?$/i;

type Again = {
  kind: 'plan' | 'playbook';
  name: string;
  /** Null if not `old=new`. */
  values: Record<string, string> | null;
};

const closing: Record<string, string> = { '"': '"', '“': '”' };

function split(text: string, mark: string): string[] {
  const parts = [''];
  let end: string | null = null;
  for (const letter of text) {
    if (end === null && letter === mark) {
      parts.push('');
      continue;
    }
    if (end === letter) end = null;
    else if (end === null) end = closing[letter] ?? null;
    parts.push(`${parts.pop() ?? ''}${letter}`);
  }
  return parts.map((part) => part.trim());
}

function unquote(text: string): string {
  const end = closing[text.at(0) ?? ''];
  return end !== undefined && text.length > 1 && text.endsWith(end) ? text.slice(1, -1) : text;
}

/** `ACME=Globex, "May, 2026"="June, 2026"`; null for anything else. @param named also `customer: Globex` */
function readValues(text: string, named: boolean): Record<string, string> | null {
  const values = new Map<string, string>();
  for (const pair of split(text, ',')) {
    const equal = split(pair, '=');
    const [, param = '', text = ''] = /^([\w-]{1,80}): (.+)$/s.exec(pair) ?? [];
    const given = named && equal.length === 1 && param !== '' ? [param, text] : equal;
    const [name = '', value = '', ...more] = given.map(unquote);
    if (name === '' || value === '' || more.length > 0 || values.has(name)) return null;
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/** Null for other requests. */
export function readAgain(text: string): Again | null {
  const input = text.trim().replace(/\.$/, '');
  if (input.length > maxText) return null;
  const plan = planAgain.exec(input);
  const found = plan ?? playbookRun.exec(input);
  const [head = '', name = ''] = found ?? [];
  if (found === null) return null;
  const rest = input.slice(head.length).trim();
  return {
    kind: plan === null ? 'playbook' : 'plan',
    name: plan === null ? name.toLowerCase() : `PLAN-${name.slice(5).toLowerCase()}`,
    values: rest === '' ? {} : readValues(rest.replace(/^with\s+/i, ''), plan === null),
  };
}

const playbooksShown = 50;
const paramsShown = 10;

function describePlaybook({ name, title, params, total_steps }: Playbook): string {
  const values = params
    .slice(0, paramsShown)
    .map((param) => `${param.name}=${quoteName(param.text, 60)}`);
  if (params.length > values.length) values.push('…');
  const call = `run playbook ${name}${values.length === 0 ? '' : ` with ${values.join(', ')}`}`;
  return `- ${call}: ${quoteWords(title, 200)} (${countOf(total_steps, 'step')})`;
}

function listPlaybooks(playbooks: Playbook[]): string {
  const more = playbooks.length - playbooksShown;
  return [
    ...playbooks.slice(0, playbooksShown).map(describePlaybook),
    ...(more > 0 ? [`and ${more} more; “countersign playbook” in a terminal lists all`] : []),
    'To fill one in by form, open “Build a plan” (in a terminal: countersign build) and look for “playbook”.',
  ].join('\n');
}

const howTo: Record<Again['kind'], (name: string) => string> = {
  plan: (name) =>
    `Write what is different as old=new, separated by commas: run ${name} again with ACME=Globex, May=June`,
  playbook: (name) =>
    `Write values as name=value, separated by commas: run playbook ${name} with customer=Globex, month=June`,
};

/** @param planner for all others @returns null if a model is needed */
export async function runAgain(
  { atHand }: Pick<PlannerTools, 'atHand'>,
  { runId, text, revision, ownWords = true }: PlanningRequest,
  planner: { name: string; isModel: boolean },
): Promise<PlanningOutcome | null> {
  if (atHand === null || revision !== null) return null;
  const end = (result: PlanningOutcome['result'], reason: string): PlanningOutcome => ({
    result,
    reason,
    planner: planner.name,
    session: null,
    confidence: null,
    cost_usd: 0,
    trace: [],
  });
  const refuse = (why: string, reason: string) =>
    end({ kind: 'cannot', text: why, wanted: null }, reason);
  if (asksForList.test(text.trim().replace(/[.?]$/, ''))) {
    const listed = listPlaybooks(await atHand.listPlaybooks(runId));
    return end(
      { kind: 'answer', text: listed },
      'answered without a plan: a question about playbooks',
    );
  }
  const named = maybePlaybook.exec(text.trim())?.[1]?.toLowerCase();
  const isKnown =
    named !== undefined &&
    named !== 'playbook' &&
    (await atHand.listPlaybooks(runId)).some(({ name }) => name === named);
  const read = readAgain(
    isKnown ? text.trim().replace(maybePlaybook, `run playbook ${named}`) : text,
  );
  if (read === null) return null;
  const { kind, name, values } = read;
  if (values === null) {
    if (planner.isModel) return null;
    return refuse(howTo[kind](name), 'no plan: what differs was not written as old=new');
  }
  try {
    const draft: PlanDraft =
      kind === 'plan'
        ? await atHand.readDraft(runId, name, values)
        : await atHand.readPlaybook(runId, name, values);
    const what = kind === 'plan' ? name : `the playbook ${name}`;
    // Another person must not choose who approves the requester's plan.
    const again = { keepsApprovers: ownWords };
    return end({ kind: 'proposal', draft, again }, `a plan, because ${what} was run again`);
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return refuse(error.message, `no plan: ${error.code}`);
  }
}

// Saves plans under a name and drafts new plans from them.
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable } from '#db/database.ts';
import { readEveryName } from '#db/people/identities.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import {
  countPlaybooks,
  deletePlaybook,
  listPlaybooks as listStored,
  type PlaybookOwner,
  type PlaybookPlace,
  readPlaybook,
  storePlaybook,
} from '#db/plans/playbooks.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { artifactsOf } from '#domain/plan/arguments.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import {
  countPlaces,
  fillPlaybook,
  type NewPlaybook,
  type Playbook,
  type PlaybookParameter,
  type PlaybookValues,
  readParameter,
  replaceInDraft,
} from '#domain/plan/playbook.ts';
import { isNearly, listOf, shorten } from '#domain/words.ts';
import type { PlansContext } from '../plans-context.ts';
import { readDraft, revisableSteps } from '../views/draft.ts';
import { cannotRemove, findShipped, shippedPlaybooks, type WholePlaybook } from './shipped.ts';

/** Per organisation. */
const maxPlaybooks = 500;
const maxParams = 50;

const refuse = (message: string) => new CountersignError('invalid_request', message);

export const placeOf = ({ tenant }: Pick<Actor, 'tenant'>): PlaybookPlace => ({
  tenant: tenant ?? null,
});

/** Admins own all, others their own. */
async function ownedBy(db: Queryable, { id, role }: Actor): Promise<PlaybookOwner> {
  return role === 'admin' ? null : readEveryName(db, id);
}

/** `timezone`: for shipped playbooks that repeat. */
type PlaybookShelf = { query: Queryable; timezone: string };

/** By name; saved ones replace shipped ones. */
export async function listPlaybooks(
  { query, timezone }: PlaybookShelf,
  owners: readonly Pick<Actor, 'tenant'>[],
): Promise<Playbook[]> {
  const stored = await Promise.all(owners.map((owner) => listStored(query, placeOf(owner))));
  const all = [...shippedPlaybooks(timezone).map(({ playbook }) => playbook), ...stored.flat()];
  const byName = new Map(all.map((one) => [one.name, one]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param owners searched last one first @throws `not_found` */
export async function getPlaybook(
  shelf: PlaybookShelf,
  name: string,
  owners: readonly Pick<Actor, 'tenant'>[],
): Promise<WholePlaybook> {
  const { query, timezone } = shelf;
  const wanted = name.trim().toLowerCase();
  for (const owner of owners.toReversed()) {
    const found = await readPlaybook(query, placeOf(owner), wanted);
    if (found !== null) return found;
  }
  const shipped = findShipped(wanted, timezone);
  if (shipped !== null) return shipped;
  const all = await listPlaybooks(shelf, owners);
  const near = all.flatMap((one) => (isNearly(wanted, one.name) ? one.name : [])).slice(0, 3);
  throw new CountersignError(
    'not_found',
    `There is no playbook ${name}.${near.length === 0 ? '' : ` Did you mean ${listOf(near, 'or')}?`} To list them, say “playbooks” in a conversation, or run “countersign playbook” in a terminal.`,
  );
}

function notTheirs(name: string): CountersignError {
  return new CountersignError(
    'not_allowed',
    `The playbook ${name} belongs to someone else. Only they or an admin can change it; choose another name.`,
  );
}

function notInPlan(plan: string, texts: string[]): CountersignError {
  return refuse(
    `${plan} does not contain ${listOf(texts, 'or')} as separate words in its titles, descriptions or arguments. Give the text exactly as the plan has it.`,
  );
}

/** @throws `invalid_request` naming the parameter */
function readParams(
  draft: PlanDraft,
  { params, defaults }: Pick<NewPlaybook, 'params' | 'defaults'>,
): PlaybookParameter[] {
  const given = [
    ...Object.entries(params).map(([name, text]) => ({ name, text, optional: false })),
    ...Object.entries(defaults).map(([name, text]) => ({ name, text, optional: true })),
  ];
  if (given.length > maxParams) throw refuse(`A playbook has at most ${maxParams} parameters.`);
  for (const [index, { name, text }] of given.entries()) {
    const other = given.slice(0, index).find((one) => one.name === name || one.text === text);
    if (other?.name === name) throw refuse(`The parameter ${name} is named twice.`);
    if (other !== undefined)
      throw refuse(`${other.name} and ${name} both stand for "${text}". Leave one of them out.`);
  }
  const places = countPlaces(
    draft,
    given.map(({ text }) => text),
  );
  return given.map((one, index) => {
    const there = places[index] ?? 0;
    if (there > 0) return { ...one, places: there };
    throw notInPlan('The plan', [`"${one.text}" (${one.name})`]);
  });
}

/**
 * Without its planner's findings, maybe outdated.
 * @throws `plan_not_found`, `limit_exceeded`, `invalid_request` if a step needs the old plan's data
 */
async function readTemplate(
  db: Queryable,
  planId: string,
): Promise<{ draft: PlanDraft; total: number }> {
  const { total } = await readPlanRow(db, planId);
  if (total > revisableSteps)
    throw new CountersignError(
      'limit_exceeded',
      `${planId} has ${total} steps; a plan of more than ${revisableSteps} cannot be run again.`,
    );
  const { context: found, ...rest } = await readDraft(db, planId);
  const [holder] = rest.steps.filter(({ args }) => artifactsOf(args ?? {}).length > 0);
  if (holder !== undefined)
    throw refuse(
      `Step ${holder.id ?? ''} uses an artifact of ${planId}, which a new plan does not have. Propose it with a step that reads the data.`,
    );
  const { pattern, budget_usd, groups } = typeof found === 'object' ? found : {};
  const context = {
    ...{ tool_outputs: {}, notes: '', artifacts: [] },
    ...(pattern === undefined ? {} : { pattern }),
    ...(budget_usd === undefined ? {} : { budget_usd }),
    ...(groups === undefined ? {} : { groups }),
  };
  return { draft: { ...rest, context }, total };
}

/** @throws as `readTemplate` and `Service.savePlaybook` */
export async function savePlaybook(
  context: Pick<PlansContext, 'db'>,
  planId: string,
  { name, ...wanted }: NewPlaybook,
  actor: Actor,
): Promise<Playbook> {
  const { db } = context;
  const { draft, total } = await readTemplate(db.query, planId);
  const params = readParams(draft, wanted);
  const owner = await ownedBy(db.query, actor);
  const place = placeOf(actor);
  return db.transaction(async (tx) => {
    const isNew = (await readPlaybook(tx, place, name)) === null;
    if (isNew && (await countPlaybooks(tx, place)) >= maxPlaybooks)
      throw new CountersignError(
        'limit_exceeded',
        `There are already ${maxPlaybooks} playbooks, the maximum. Remove one.`,
      );
    const values = { name, owner: actor.id, plan_id: planId, draft, params, total_steps: total };
    const stored = await storePlaybook(tx, place, values, owner);
    if (stored === null) throw notTheirs(name);
    const data = { playbook: name, version: stored.version };
    await recordAudit(tx, [{ planId, actor, action: 'save_playbook', data }]);
    return stored;
  });
}

/** @throws `not_found`, `not_allowed` */
export async function removePlaybook(
  { db, timezone }: Pick<PlansContext, 'db'> & { timezone: string },
  text: string,
  actor: Actor,
): Promise<Playbook> {
  const { playbook } = await getPlaybook({ query: db.query, timezone }, text, [actor]);
  const { name } = playbook;
  if (playbook.plan_id === '') throw cannotRemove(name);
  const owner = await ownedBy(db.query, actor);
  return db.transaction(async (tx) => {
    if (!(await deletePlaybook(tx, placeOf(actor), name, owner))) throw notTheirs(name);
    const data = { playbook: name, version: playbook.version };
    await recordAudit(tx, [{ planId: null, actor, action: 'remove_playbook', data }]);
    return playbook;
  });
}

/** Summary and notes name the source. @throws `invalid_request` for missing, invalid or unknown values */
export function draftOfPlaybook(
  { playbook, draft }: { playbook: Playbook; draft: PlanDraft },
  values: PlaybookValues,
): PlanDraft {
  const { name, params, plan_id } = playbook;
  const known = params.map((param) => param.name);
  const unknown = Object.keys(values).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw refuse(
      `${name} has no parameter ${listOf(unknown)}. ${known.length === 0 ? 'It has none.' : `It has ${listOf(known)}.`}`,
    );
  const missing = params.filter(
    ({ name: wanted, optional }) => !optional && !Object.hasOwn(values, wanted),
  );
  if (missing.length > 0)
    throw refuse(
      `${name} needs a value for ${listOf(missing.map((param) => `${param.name} (such as ${shorten(param.text, 80)})`))}.`,
    );
  const given = params.map(
    (param) => `${param.name} = ${shorten(readParameter(param, values), 200)}`,
  );
  const from =
    plan_id === ''
      ? 'It ships with Countersign.'
      : `Saved from ${plan_id}, version ${playbook.version} of the playbook.`;
  return tellSource(fillPlaybook(draft, params, values), `Playbook ${name}`, given, from);
}

/**
 * Summary and notes name the source.
 * @param values by the texts they replace
 * @throws as `readTemplate`, `invalid_request` for a text not in the plan
 */
export async function draftOfPlan(
  db: Queryable,
  planId: string,
  values: Readonly<Record<string, string>>,
): Promise<PlanDraft> {
  const pairs = Object.entries(values);
  if (pairs.length > maxParams || pairs.some((pair) => pair.some((one) => one.length > 2000)))
    throw refuse(`Give at most ${maxParams} texts, each of at most 2,000 characters.`);
  const { draft, missing } = replaceInDraft((await readTemplate(db, planId)).draft, values);
  if (missing.length > 0)
    throw notInPlan(
      planId,
      missing.map((text) => `"${text}"`),
    );
  const given = pairs.map(([text, value]) => `${shorten(text, 80)} = ${shorten(value, 200)}`);
  return tellSource(draft, `${planId} again`, given, `Made from ${planId}.`);
}

/** @throws `invalid_request` if the plan becomes invalid */
function tellSource(filled: PlanDraft, source: string, given: string[], from: string): PlanDraft {
  const described = `${source}${given.length === 0 ? '' : `: ${given.join(', ')}`}`;
  const { summary } = filled;
  const context = typeof filled.context === 'object' ? filled.context : null;
  const read = PlanDraft.safeParse({
    ...filled,
    summary: shorten(summary === undefined ? described : `${summary} (${described})`, 1000),
    context: { tool_outputs: {}, artifacts: [], ...context, notes: `${described}. ${from}` },
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refuse(
    `These values do not make a valid plan: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

// Streams and filters a for_each's items.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { ConditionOperator, StepCondition } from '#domain/plan/condition.ts';
import { AnyJson, isObject, type Json, JsonObject } from '#domain/text.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { readJsonText, readPointer, toPointer } from '#tools/resolve-arguments.ts';
import { readDelimited, readJsonLines, readJsonList } from '#tools/tables/read-rows.ts';
import { type Coverage, listPages, noteWhole } from '../reads/list-pages.ts';
import type { ToolContext } from '../tool.ts';

const kinds = ['table', 'json', 'lines of json', 'lines'] as const;
type Kind = (typeof kinds)[number];

const itemCondition = z.strictObject({
  path: z.string(),
  is: ConditionOperator,
  value: AnyJson.optional(),
});
/** Shown short: documented as `where`. */
export const groupConditions = z.array(itemCondition);

export const itemSourceShape = {
  operation: z.string().optional().describe('a read'),
  args: JsonObject.optional(),
  artifact: z.string().optional().describe('instead of both'),
  list: z
    .string()
    .default('')
    .describe('JSON pointer to a list or text in the output; left out: its only one'),
  as: z.enum(kinds).optional(),
  where: z.array(itemCondition).optional(),
  paging: z
    .strictObject({
      argument: z.string(),
      next: z.string().describe('pointer in the output'),
    })
    .optional(),
};
export type ItemSource = z.infer<z.ZodObject<typeof itemSourceShape>> & {
  items?: Json[] | undefined;
};

/** By name or declared type. */
function kindOf(text: string, data: Json, args: JsonObject): Kind {
  const name = [args.path, args.url].find((one) => typeof one === 'string') ?? '';
  const [bare = ''] = name.split(/[?#]/, 1);
  const ending = bare.slice(bare.lastIndexOf('.') + 1).toLowerCase();
  const headers = isObject(data) && isObject(data.headers) ? data.headers : {};
  const type = String(headers['content-type'] ?? '');
  if (['jsonl', 'ndjson'].includes(ending) || /jsonl|ndjson/.test(type)) return 'lines of json';
  if (['csv', 'tsv', 'tab'].includes(ending) || /csv|tab-separated/.test(type)) return 'table';
  const [first = '', second = ''] = text.trim().split('\n', 2);
  if (/^\{.*\}\s*$/.test(first) && second.startsWith('{')) return 'lines of json';
  if (/^[[{]/.test(first)) return 'json';
  return looksDelimited(text) ? 'table' : 'lines';
}

const linesCompared = 5;

/** Equal field counts, at least two, and distinct headings. */
function looksDelimited(text: string): boolean {
  const lines = text
    .slice(0, 20_000)
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, linesCompared);
  const [head = ''] = lines;
  return ['\t', ';', ',', '|'].some((delimiter) => {
    const names = head.split(delimiter).map((name) => name.trim());
    return (
      lines.length > 2 &&
      names.length > 1 &&
      new Set(names).size === names.length &&
      names.every((name) => name !== '' && name.length <= 40 && !/[.!?]$/.test(name)) &&
      lines.every((line) => line.split(delimiter).length >= names.length)
    );
  });
}

async function* oneBy(text: string): AsyncGenerator<string> {
  yield text;
}

/** Rows, objects or lines. */
async function readItems(
  text: string,
  data: Json,
  args: JsonObject,
  coverage: Coverage,
  as: Kind | undefined,
): Promise<Json[]> {
  const kind = as ?? kindOf(text, data, args);
  if (kind === 'lines') return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const readers = { json: readJsonList, 'lines of json': readJsonLines, table: readDelimited };
  const items: Json[] = [];
  for await (const entry of readers[kind](oneBy(text))) {
    if ('row' in entry) items.push(entry.row);
    if ('reason' in entry) coverage.skipped.push(`line ${entry.line}: ${entry.reason}`);
  }
  return items;
}

function membersOf(data: JsonObject): JsonObject {
  const inside = readJsonText(data);
  return isObject(inside) ? { ...inside, ...data } : data;
}

/** Pointer to the only list, or else the only text; '' if it is the output itself, or unclear. */
function findList(data: Json): string {
  if (!isObject(data)) return '';
  const values = Object.entries(membersOf(data));
  const lists = values.filter(([, value]) => Array.isArray(value));
  const texts = values.filter(([name]) => name === 'text');
  const [only, ...others] = lists.length === 0 ? texts : lists;
  return only === undefined || others.length > 0 ? '' : toPointer([only[0]]);
}

/** @throws CountersignError `invalid_arguments` without a list or text */
async function listIn(
  data: Json,
  list: string,
  args: JsonObject,
  coverage: Coverage,
  as: Kind | undefined,
): Promise<Json[]> {
  const at = readPointer(data, list === '' ? findList(data) : list);
  if (at.ok && Array.isArray(at.value)) return at.value;
  if (at.ok && typeof at.value === 'string') return readItems(at.value, data, args, coverage, as);
  throw new CountersignError(
    'invalid_arguments',
    `There is no list at ${list || 'the root'} of the output. It has: ${isObject(data) ? Object.keys(membersOf(data)).slice(0, 20).join(', ') : typeof data}. Point "list" to a list or a text; "as" says how a text is read.`,
  );
}

/** @throws CountersignError `invalid_arguments` without a list, or for a repeated page */
export async function* listItems(
  { operation, args = {}, artifact, list, as, paging, items: given }: ItemSource,
  { tools, state, signal }: Pick<ToolContext, 'tools' | 'state' | 'signal'>,
  coverage: Coverage,
): AsyncGenerator<Json[]> {
  if (given !== undefined) {
    coverage.listed = given.length;
    yield given;
    return;
  }
  if (artifact !== undefined) {
    const data = (await tools.requests?.load(state.run_id, artifact)) ?? null;
    const items = await listIn(data, list, {}, coverage, as);
    noteWhole(data, coverage);
    coverage.listed += items.length;
    yield items;
    return;
  }
  if (operation === undefined)
    throw new CountersignError(
      'invalid_arguments',
      'A new group needs "operation" and "args", or "artifact"; to change a group, give its "id".',
    );
  for await (const data of listPages({ operation, args, paging }, { tools, signal }, coverage)) {
    const items = await listIn(data, list, args, coverage, as);
    coverage.listed += items.length;
    yield items;
  }
}

/** `exists` may ask for missing ones. */
export function lackingFields(item: Json, { where = [] }: Pick<ItemSource, 'where'>): string[] {
  return where.flatMap(({ path, is }) =>
    is === 'exists' || readPointer(item, path).ok ? [] : [path],
  );
}

export function holds(item: Json, { where = [] }: Pick<ItemSource, 'where'>): boolean {
  return where.every(
    (condition) =>
      explainCondition(StepCondition.parse({ ...condition, step: 'item' }), item, 'item') === null,
  );
}

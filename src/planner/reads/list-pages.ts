// Reads all pages of a listing and records what is missing.
import { hash } from 'node:crypto';
import { CountersignError } from '#domain/errors.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { readPointer } from '#tools/resolve-arguments.ts';
import type { PlannerTools } from '../ports.ts';

export const maxItems = 20_000;
const maxPages = 500;

export type Paging = { argument: string; next: string };

export type Listing = {
  operation: string;
  args: JsonObject;
  /** Default: inferred. */
  paging?: Paging | undefined;
};

export type Coverage = {
  listed: number;
  pages: number;
  total: number | null;
  /** More exists than was read. */
  more: boolean;
  skipped: string[];
};

export const newCoverage = (): Coverage => ({
  listed: 0,
  pages: 0,
  total: null,
  more: false,
  skipped: [],
});

export const isPartial = ({ listed, total, more }: Coverage): boolean =>
  more || (total ?? 0) > listed;

/** `5,000 of 6,200`, or `5,000 of at least 5,001`. */
export function tellPart({ listed, total }: Coverage): string {
  const isKnown = total !== null && total > listed;
  const there = (isKnown ? total : listed + 1).toLocaleString('en-US');
  return `${listed.toLocaleString('en-US')} of ${isKnown ? '' : 'at least '}${there}`;
}

const hasValue = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';

/** Keys that nest page information. */
const wrappers = ['pagination', 'paging', 'page_info', 'pageInfo', 'meta', '_meta', 'page'];

/** These only say that there is more. */
const moreKeys = ['truncated', 'has_more', 'hasMore', 'has_next', 'hasNext', 'hasNextPage'];

/** Output fields to the next page, and arguments they fill. */
const nextKeys: [names: string[], arguments: string[]][] = [
  [
    ['next_cursor', 'nextCursor', 'end_cursor', 'endCursor'],
    ['cursor', 'after', 'page_cursor', 'pageCursor', 'start_cursor', 'starting_after'],
  ],
  [
    ['next_page_token', 'nextPageToken', 'next_token', 'nextToken', 'continuation_token'],
    ['page_token', 'pageToken', 'next_token', 'nextToken', 'token', 'continuation_token', 'cursor'],
  ],
  [
    ['next_offset', 'nextOffset'],
    ['offset', 'skip', 'start'],
  ],
  [
    ['next_page', 'nextPage'],
    ['page', 'page_number', 'pageNumber', 'cursor'],
  ],
  [['next'], ['after', 'offset', 'cursor', 'page', 'next', 'page_token', 'pageToken', 'start']],
];

const totalKeys = [
  'total_count',
  'totalCount',
  'total_results',
  'totalResults',
  'total_items',
  'totalItems',
];

const argumentsOf = ({ input }: OperationSpec): string[] =>
  isObject(input.properties) ? Object.keys(input.properties) : [];

function partsOf(data: Json): JsonObject[] {
  if (!isObject(data)) return [];
  return [data, ...wrappers.flatMap((name) => (isObject(data[name]) ? [data[name]] : []))];
}

/** Null if the output names none. */
function findNext(data: Json, spec: OperationSpec | undefined): JsonObject | null {
  const taken = spec === undefined ? [] : argumentsOf(spec);
  for (const part of partsOf(data))
    for (const [names, targets] of nextKeys)
      for (const name of names) {
        const value = part[name];
        const argument = targets.find((one) => taken.includes(one));
        const leads = typeof value === 'number' || (typeof value === 'string' && value !== '');
        // GraphQL always returns a last cursor.
        if (leads && argument !== undefined && part.hasNextPage !== false)
          return { [argument]: value };
      }
  return null;
}

/** The output calls itself incomplete. */
export function saysMore(data: Json): boolean {
  const leads = nextKeys.flatMap(([names]) => names);
  return partsOf(data).some(
    (part) =>
      part.hasNextPage !== false && [...moreKeys, ...leads].some((name) => hasValue(part[name])),
  );
}

function findTotal(data: Json, isPaged: boolean): number | null {
  const names = isPaged ? [...totalKeys, 'total'] : totalKeys;
  const found = partsOf(data).flatMap((part) =>
    names.flatMap((name) => (Number.isSafeInteger(part[name]) ? Number(part[name]) : [])),
  );
  return found[0] ?? null;
}

function findSkipped(data: Json): string[] {
  if (!isObject(data) || !Array.isArray(data.skipped)) return [];
  return data.skipped.flatMap((one) => {
    if (typeof one === 'string') return [one];
    return isObject(one) && typeof one.reason === 'string'
      ? [`line ${String(one.line)}: ${one.reason}`]
      : [];
  });
}

function writeContent(data: Json): string {
  if (!isObject(data)) return JSON.stringify(data);
  const leads = new Set([...nextKeys.flatMap(([names]) => names), ...wrappers]);
  return JSON.stringify(Object.entries(data).filter(([name]) => !leads.has(name)));
}

/** Only for outputs read once. */
export function noteWhole(data: Json, coverage: Coverage): void {
  coverage.pages += 1;
  coverage.more ||= saysMore(data);
  coverage.total = findTotal(data, false) ?? coverage.total;
  coverage.skipped.push(...findSkipped(data));
}

/**
 * The caller raises `coverage.listed` before the next page.
 * @throws CountersignError `invalid_arguments`, also for a repeated page
 */
export async function* listPages(
  { operation, args: first, paging }: Listing,
  { tools, signal }: { tools: PlannerTools; signal: AbortSignal },
  coverage: Coverage,
): AsyncGenerator<Json> {
  const spec = tools.readable().find(({ name }) => name === operation);
  const isPaged = paging !== undefined || (spec !== undefined && hasPaging(spec));
  const seen = new Set<string>();
  for (let args = first; ; ) {
    const wrong = tools.validate(operation, args);
    if (wrong.length > 0) throw new CountersignError('invalid_arguments', wrong.join(' '));
    const { data } = await tools.call(operation, args, signal);
    coverage.pages += 1;
    coverage.total = findTotal(data, isPaged) ?? coverage.total;
    coverage.skipped.push(...findSkipped(data));
    const before = coverage.listed;
    yield data;
    // Empty pages may be alike.
    const digest = hash('sha256', writeContent(data));
    if (coverage.listed > before && seen.size === seen.add(digest).size)
      throw new CountersignError(
        'invalid_arguments',
        `${operation} returned the same page twice, so its list can't be read to the end; check paging.`,
      );
    const named = paging === undefined ? undefined : readPointer(data, paging.next);
    const next =
      paging !== undefined && named?.ok === true && hasValue(named.value)
        ? { [paging.argument]: named.value }
        : findNext(data, spec);
    if (next === null) {
      coverage.more = saysMore(data);
      return;
    }
    if (coverage.listed >= maxItems || coverage.pages >= maxPages) {
      coverage.more = true;
      return;
    }
    args = { ...args, ...next };
  }
}

const hasPaging = (spec: OperationSpec): boolean => {
  const known = ['limit', 'per_page', 'page_size', ...nextKeys.flatMap(([, names]) => names)];
  return argumentsOf(spec).some((name) => known.includes(name));
};

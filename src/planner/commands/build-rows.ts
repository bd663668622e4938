// From a command about rows to the group of steps it asks for: the table is read page by page, its columns are bound, and what two rows
// would write to one place, or no file can be called, is told before anything is planned.
import { errorMessage } from '#domain/errors.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { isObject, type Json } from '#domain/text.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';
import { summaryOperations } from '../draft/summarise-group.ts';
import type { PlannerTools } from '../ports.ts';
import { type Coverage, listPages, newCoverage } from '../reads/list-pages.ts';
import type { RiskNote } from './build.ts';
import type { Piece, RowsCommand } from './command.ts';

const tableOperation = 'workspace_read_table';
const writeOperation = 'workspace_write';
const pageRows = 1000;
/** Columns that a plain text lists. */
const listedAtMost = 50;
const namedAtMost = 5;

/** A group of steps as `for_each` takes it, and the plan's title and summary. */
export type RowsPlan = {
  group: object;
  about: { title: string; summary: string; risks: RiskNote[] };
};

export type RowsOutcome = { plan: RowsPlan } | { refused: string } | { cannot: string };

type Setting = { tools: PlannerTools; signal: AbortSignal };
type Row = { [column: string]: Json };

class Refusal extends Error {}

const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The pieces with the columns as the table calls them. */
function bindColumns(pieces: Piece[], columns: string[], table: string): Piece[] {
  return pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const exact = columns.find((name) => name === piece.column);
    const alike = columns.filter((name) => fold(name) === fold(piece.column));
    const column = exact ?? (alike.length === 1 ? alike[0] : undefined);
    if (column === undefined)
      throw new Refusal(
        `${table} has no column “${shorten(piece.column, 80)}”. It has ${listOf(columns.slice(0, listedAtMost))}.`,
      );
    if (/[{}]/.test(column))
      throw new Refusal(`Column “${column}” of ${table} has a brace in its name. Rename it.`);
    return { column };
  });
}

const pointerTo = (column: string): string =>
  `item/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function toTemplate(pieces: Piece[]): string {
  return pieces
    .map((piece) =>
      typeof piece === 'string'
        ? String(writeTemplates({ piece }).piece)
        : `{{${pointerTo(piece.column)}}}`,
    )
    .join('');
}

const showPieces = (pieces: Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : `<${piece.column}>`)).join('');

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** What a value in a path may not be; null: it may. */
function findPathFault(value: string): string | null {
  if (value.trim() === '') return 'nothing';
  if (/[/\\]/.test(value)) return 'a slash';
  if (/\p{Cc}/u.test(value)) return 'a line break or another control character';
  if (/^\.{1,2}$/.test(value)) return 'only dots';
  if (value !== value.trim()) return 'a blank at its beginning or end';
  return Buffer.byteLength(value) > 200 ? 'more than 200 bytes' : null;
}

/** The path of one row's file. @param nth the row's number, from 1 */
function pathOf(pieces: Piece[], row: Row, nth: number, table: string): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      const value = String(row[piece.column] ?? '');
      const fault = findPathFault(value);
      if (fault === null) return value;
      const shown = value.trim() === '' ? '' : ` (“${shorten(value, 60)}”)`;
      throw new Refusal(
        `Row ${nth} of ${table} has ${fault} in column ${piece.column}${shown}, so it can't be used in a file name. Correct that row, or use another column.`,
      );
    })
    .join('');
}

async function* readRows(table: string, { tools, signal }: Setting, coverage: Coverage) {
  const listing = {
    operation: tableOperation,
    args: { path: table, limit: pageRows },
    paging: { argument: 'offset', next: '/next' },
  };
  for await (const data of listPages(listing, { tools, signal }, coverage)) {
    if (!isObject(data) || !Array.isArray(data.rows) || !Array.isArray(data.columns))
      throw new Refusal(`${table} could not be read as a table.`);
    coverage.listed += data.rows.length;
    yield {
      columns: data.columns.map(String),
      rows: data.rows.filter((row): row is Row => isObject(row)),
    };
  }
}

type Bound = { columns: string[]; to: Piece[]; text: Piece[] | null; count: number };

/** Reads the whole table once, and keeps of each row only where it would be written. */
async function bindRows(command: RowsCommand, setting: Setting, summary: string): Promise<Bound> {
  const { table } = command;
  const writtenBy = new Map<string, number>();
  const twice: string[] = [];
  let bound: Bound | null = null;
  const coverage = newCoverage();
  for await (const { columns, rows } of readRows(table, setting, coverage)) {
    bound ??= {
      columns,
      to: bindColumns(command.to, columns, table),
      text: command.text === null ? null : bindColumns(command.text, columns, table),
      count: 0,
    };
    for (const row of rows) {
      bound.count += 1;
      const path = pathOf(bound.to, row, bound.count, table);
      const other = writtenBy.get(path);
      if (other !== undefined) twice.push(`rows ${other} and ${bound.count} to ${path}`);
      else writtenBy.set(path, bound.count);
      if (path === summary)
        throw new Refusal(
          `Row ${bound.count} of ${table} would be written to ${path}, which is where the summary goes. Choose another file for the summary.`,
        );
    }
  }
  if (bound === null || bound.count === 0)
    throw new Refusal(
      [
        `${table} has no rows below its header, so there is nothing to write.`,
        ...coverage.skipped.slice(0, namedAtMost).map((one) => `${capital(one)}.`),
      ].join(' '),
    );
  if (twice.length > 0) {
    const more = twice.length - namedAtMost;
    const named = listOf([
      ...twice.slice(0, namedAtMost),
      ...(more > 0 ? [`${countOf(more, 'more pair')}`] : []),
    ]);
    throw new Refusal(
      `Several rows of ${table} would be written to one file: ${named}. Use a column that differs in each row.`,
    );
  }
  return bound;
}

/** A plain text that shows what a row has. */
function plainText(thing: string, columns: string[]): string {
  const lines = columns
    .filter((name) => !/[{}]/.test(name))
    .slice(0, listedAtMost)
    .map((name) => `${toTemplate([`${name}: `])}${toTemplate([{ column: name }])}`);
  return `${capital(thing)}\n\n${lines.join('\n')}\n`;
}

/** `letters/<id>.md` → `letters`, the name of the group and of its partitions. */
function nameGroup({ to, thing }: RowsCommand): string {
  const [first] = to;
  const folder = typeof first === 'string' ? first.split('/').slice(0, -1).at(-1) : undefined;
  const name = folder === undefined || folder === '' ? `${thing.split(' ').at(-1)}s` : folder;
  return name.replace(/\s+/g, '-').slice(0, 60);
}

/** What is planned of a command about rows. Reads only. */
export async function buildRows(command: RowsCommand, setting: Setting): Promise<RowsOutcome> {
  const { table, thing, summary } = command;
  const manifest = new Set(setting.tools.manifest().map(({ name }) => name));
  const readable = new Set(setting.tools.readable().map(({ name }) => name));
  if (!readable.has(tableOperation)) return { cannot: 'read tables' };
  if (!manifest.has(writeOperation)) return { cannot: 'write files' };
  if (summary !== null && summaryOperations.some((name) => !manifest.has(name)))
    return { cannot: 'summarise many results' };
  const group = nameGroup(command);
  const summaryPath = summary === null ? '' : (summary.path ?? `${group}-summary.md`);
  try {
    const { columns, to, text, count } = await bindRows(command, setting, summaryPath);
    const where = showPieces(to);
    const asRead = `The rows of ${table} were read when this was planned; rows added later are not included.`;
    const isPlain = `Each ${thing} is plain: its title and the columns of its row. For other wording, put a text with <columns> in quotation marks, or connect a model.`;
    const rows = countOf(count, 'row');
    const a = /^[aeiou]/.test(thing) ? 'an' : 'a';
    const columnsSaid = listOf(columns.slice(0, 6).concat(columns.length > 6 ? ['…'] : []));
    return {
      plan: {
        group: {
          id: group,
          title: `${capital(thing)}s`,
          operation: tableOperation,
          args: { path: table, limit: pageRows },
          list: '/rows',
          paging: { argument: 'offset', next: '/next' },
          step: {
            description: `Write ${toTemplate(to)}`,
            operation: writeOperation,
            args: {
              path: toTemplate(to),
              content: text === null ? plainText(thing, columns) : toTemplate(text),
            },
          },
          ...(summary === null
            ? {}
            : {
                then_summarise: `Write one summary of all ${thing}s: how many there are, and what they have in common.`,
                summary_path: summaryPath,
              }),
        },
        about: {
          title: shorten(
            `Write ${a} ${thing} for each of ${rows} of ${table}${summary === null ? '' : ', and a summary'}`,
            300,
          ),
          summary: shorten(
            `Writes ${where} for each of ${rows} of ${table}${text === null ? `, with what the row has (${columnsSaid})` : ''}${summary === null ? '' : `, then one summary to ${summaryPath}`}.`,
            700,
          ),
          risks: (text === null ? [asRead, isPlain] : [asRead]).map((risk) => ({ text: risk })),
        },
      },
    };
  } catch (error) {
    setting.signal.throwIfAborted();
    return { refused: `${errorMessage(error)} Nothing was planned.` };
  }
}

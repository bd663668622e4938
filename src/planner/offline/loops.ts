// Plans loops over rows or files as a group of steps.
import { isDatabaseAway } from '#db/transient.ts';
import { errorMessage } from '#domain/errors.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { countOf, listOf, shorten, trimTail } from '#domain/words.ts';
import { CommandRefusal, type Loop } from '../commands/request.ts';
import { columnPattern } from '../commands/tokens.ts';
import type { PlannerTools } from '../ports.ts';
import { listPages, newCoverage } from '../reads/list-pages.ts';
import { describeStep, type Step } from './describe.ts';
import { columnsIn, toTemplate } from './outline.ts';

const pageRows = 1000;
const maxNamed = 5;

export type Group = {
  group: object;
  about: { title: string; summary: string; risks: { text: string }[] };
};

type Source = {
  id: string;
  title: string;
  operation: string;
  args: JsonObject;
  paging: { argument: string; next: string };
  list: string;
  where?: JsonObject[];
};

const sourceOf = ({ over, path }: Loop): Source =>
  over === 'rows'
    ? {
        id: 'rows',
        title: `Rows of ${path}`,
        operation: 'workspace_read_table',
        args: { path, limit: pageRows },
        paging: { argument: 'offset', next: '/next' },
        list: '/rows',
      }
    : {
        id: 'files',
        title: `Files in ${path}`,
        operation: 'workspace_list',
        args: { path: trimTail(path, /\//) },
        paging: { argument: 'after', next: '/next' },
        list: '/entries',
        where: [{ path: '/kind', is: 'equals', value: 'file' }],
      };

const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Why a value can't be part of a path. */
function findPathFault(value: string): string | null {
  if (value.trim() === '') return 'nothing';
  if (/[/\\]/.test(value)) return 'a slash';
  if (/\p{Cc}/u.test(value)) return 'a control character';
  if (/^\.{1,2}$/.test(value)) return 'only dots';
  return Buffer.byteLength(value) > 200 ? 'more than 200 bytes' : null;
}

type Row = { [column: string]: Json };

async function* readItems(source: Source, tools: PlannerTools, signal: AbortSignal) {
  for await (const data of listPages(source, { tools, signal }, newCoverage())) {
    const items = isObject(data) ? data[source.list.slice(1)] : undefined;
    if (!isObject(data) || !Array.isArray(items))
      throw new CommandRefusal(`${String(source.args.path)} couldn't be read as a list.`);
    const rows = items.filter(
      (row): row is Row => isObject(row) && (source.where === undefined || row.kind === 'file'),
    );
    yield {
      rows,
      columns: Array.isArray(data.columns) ? data.columns.map(String) : ['path', 'name', 'size'],
    };
  }
}

/** @throws CommandRefusal unless exactly one column matches */
function bind(name: string, columns: string[], path: string): string {
  const alike = columns.filter((column) => fold(column) === fold(name));
  const found =
    columns.find((column) => column === name) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined && !/[{}]/.test(found)) return found;
  throw new CommandRefusal(
    `${path} has no column “${shorten(name, 80)}”. It has ${listOf(columns.slice(0, 50))}.`,
  );
}

const pathsOf = ({ command: { form }, args }: Step): string[] =>
  (form.changes ?? []).flatMap((name) => (typeof args[name] === 'string' ? [args[name]] : []));

export async function buildLoop(
  step: Step,
  loop: Loop,
  { tools, timezone, signal }: { tools: PlannerTools; timezone: string; signal: AbortSignal },
): Promise<Group | string> {
  const source = sourceOf(loop);
  try {
    const names = new Map<string, string>();
    const writtenBy = new Map<string, number>();
    const twice: string[] = [];
    let count = 0;
    for await (const { rows, columns } of readItems(source, tools, signal)) {
      if (names.size === 0)
        for (const name of columnsIn(step.args)) names.set(name, bind(name, columns, loop.path));
      for (const row of rows) {
        count += 1;
        for (const path of pathsOf(step)) {
          const filled = fillPath(path, row, names, { count, loop });
          const other = writtenBy.get(filled);
          if (other === undefined) writtenBy.set(filled, count);
          else if (step.spec.effect !== 'read') twice.push(`${other} and ${count} to ${filled}`);
        }
      }
    }
    const thing = loop.over === 'rows' ? 'row' : 'file';
    if (count === 0)
      throw new CommandRefusal(
        `There are no ${thing}s in ${loop.path}, so there is nothing to do.`,
      );
    if (twice.length > 0)
      throw new CommandRefusal(
        `Several ${thing}s of ${loop.path} would write to the same file: ${thing}s ${listOf(twice.slice(0, maxNamed))}. Use a column that differs in each.`,
      );
    const summary = loop.summary === null ? '' : `, then one summary to ${loop.summary}`;
    const described = describeStep(step, timezone);
    const about = `${described} for each of ${countOf(count, thing)} of ${loop.path}${summary}`;
    const template = (value: Json) => toTemplate(value, (name) => names.get(name) ?? name);
    return {
      group: {
        ...source,
        step: {
          description: template(described),
          operation: step.spec.name,
          args: template(step.args),
        },
        ...(loop.summary === null
          ? {}
          : {
              then_summarise:
                'Write one summary of all: how many there are, and what they have in common.',
              summary_path: loop.summary,
            }),
      },
      about: {
        title: shorten(about, 300),
        summary: shorten(`${about}.`, 700),
        risks: [
          {
            text: `The ${thing}s of ${loop.path} were read when this was planned. Any added later are not included.`,
          },
        ],
      },
    };
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    signal.throwIfAborted();
    return errorMessage(error);
  }
}

function fillPath(
  path: string,
  row: Row,
  names: ReadonlyMap<string, string>,
  { count, loop }: { count: number; loop: Loop },
): string {
  return path.replace(columnPattern, (_, name: string) => {
    const column = names.get(name) ?? name;
    const value = String(row[column] ?? '');
    const fault = loop.over === 'rows' ? findPathFault(value) : null;
    if (fault === null) return value;
    const shown = value.trim() === '' ? '' : ` (“${shorten(value, 60)}”)`;
    throw new CommandRefusal(
      `Row ${count} of ${loop.path} has ${fault} in column ${column}${shown}, so it can't be used in a file name. Fix that row, or use another column.`,
    );
  });
}

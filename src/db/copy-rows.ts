// Streams many rows into a table with COPY: PostgreSQL stores the first rows while the last are still being written.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeIdentifier } from 'pg';
import { from } from 'pg-copy-streams';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { connectionOf, type Queryable } from './database.ts';
import { schemaName } from './instance.ts';

export type Field = string | number | boolean | null;

/** Column values of a plan's table for each `T`, besides the plan's id. JSON is text. */
export type RowForm<T> = { table: string; fields: Record<string, (one: T) => Field> };

/** Rows are sent in pieces of about this many characters. */
const pieceLength = 65_536;

/** Characters with a meaning in the text format of COPY. */
const special = /[\\\t\n\r]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function writeField(field: Field): string {
  if (field === null) return '\\N';
  if (typeof field !== 'string') return String(field);
  return field.replace(special, (character) => escapes[character] ?? character);
}

/** `texts` as a literal of `text[]`. */
export function writeList(texts: string[]): string {
  if (texts.length === 0) return '{}';
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

async function* writePieces<T>(
  planId: string,
  rows: Iterable<T>,
  { fields }: RowForm<T>,
): AsyncGenerator<string> {
  const begin = writeField(planId);
  const readers = Object.values(fields);
  let piece = '';
  for (const row of rows) {
    piece += begin;
    for (const read of readers) piece += `\t${writeField(read(row))}`;
    piece += '\n';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
    if (isSliceOver()) await nextTurn();
  }
  if (piece !== '') yield piece;
}

/**
 * Appends `rows` of a plan to a table; later statements see them. Sends nothing without rows.
 * @throws what Postgres reports for a row it refuses; the transaction can then only be rolled back
 */
export async function copyRows<T>(
  tx: Queryable,
  planId: string,
  rows: T[],
  form: RowForm<T>,
): Promise<void> {
  if (rows.length === 0) return;
  const columns = ['plan_id', ...Object.keys(form.fields)].join(', ');
  const copy = from(`copy ${escapeIdentifier(schemaName)}.${form.table} (${columns}) from stdin`);
  connectionOf(tx).query(copy);
  await pipeline(Readable.from(writePieces(planId, rows, form)), copy);
}

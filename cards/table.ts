// Tables: Slack's block, or lines.
import { cutShown } from '#domain/shown-text.ts';
import type { Drawn } from './expand.ts';
import { platformLimits } from './limits.ts';
import type { Table } from './view.ts';

const { rows: maxRows, characters, page } = platformLimits.slack.table;

export const writeTable = ({ rows }: Table): string[] =>
  rows.map((row) => row.filter((cell) => cell !== '').join(' · '));

/** Slack rejects empty cells. */
const cellOf = (text: string) => ({ type: 'raw_text', text: text === '' ? '–' : text });

/**
 * Callers count rows beyond the limit; cells share its characters.
 * https://docs.slack.dev/reference/block-kit/blocks/data-table-block
 */
export function drawTable({ caption, columns, rows }: Table): Drawn[] {
  if (rows.length === 0) return [];
  const shown = [columns, ...rows.slice(0, maxRows)];
  const perCell = Math.floor(characters / (shown.length * columns.length));
  const cut = (cell: string) => cellOf(cutShown(cell, perCell));
  const whole = shown.flat().reduce((sum, { length }) => sum + Math.max(1, length), 0);
  const drawn = shown.map((row) => row.map(whole > characters ? cut : cellOf));
  return [{ type: 'data_table', caption, page_size: page, rows: drawn }];
}

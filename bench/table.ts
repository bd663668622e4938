// The report for people.
import type { BenchRow } from './row.ts';

const columns = ['name', 'what', 'measured', 'compared with', 'ratio', 'target', 'reached?'];

function withUnit(value: number, unit: BenchRow['unit']): string {
  const fraction = unit === 'ms' || unit === 's' ? 1 : unit === '%' ? 2 : 0;
  const number = value.toLocaleString('en-US', {
    minimumFractionDigits: fraction,
    maximumFractionDigits: value < 1 ? 2 : fraction,
  });
  return `${number} ${unit}`;
}

function describeTarget({ reach, stretch, unit, baseline }: BenchRow): string {
  if (reach === null || stretch === null) return '';
  // Targets of rates are ratios.
  if (unit === 'steps/s') return `≥ ${reach} × (${stretch} ×)`;
  return baseline === undefined ? `≤ ${reach} ${unit} (${stretch})` : `≤ ${reach} × (${stretch} ×)`;
}

function describeVerdict({ reached, stretch_reached }: BenchRow): string {
  if (reached === null) return '';
  if (stretch_reached === true) return 'yes, stretch';
  return reached ? 'yes' : 'no';
}

function toCells(row: BenchRow): string[] {
  const { name, what, unit, value, p50, compared_with, baseline, ratio, note } = row;
  const measured = value === null ? '' : withUnit(value, unit);
  return [
    name,
    what,
    p50 === undefined ? measured : `${measured} (p50 ${withUnit(p50, unit)})`,
    baseline === undefined ? (note ?? '') : `${compared_with}: ${withUnit(baseline, unit)}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    describeTarget(row),
    describeVerdict(row),
  ];
}

/** Second target in brackets. */
export function describeRows(rows: BenchRow[]): string {
  const lines = [columns, ...rows.map(toCells)];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

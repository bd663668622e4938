// The table of a run of evals: by category how many passed and what that took, and what the gates said of the others.
import type { Category } from './case.ts';

export type EvalRow = {
  category: Category;
  id: string;
  problems: string[];
  calls: number;
  tokensIn: number;
  tokensOut: number;
  seconds: number;
  cost: number;
};

const heads = ['', 'passed', '', 'calls', 'tokens in', 'tokens out', 'seconds', 'cost'];
const maxProblem = 1500;

/** Calls, tokens and seconds are those of one case in the mean; the cost is that of all. */
export function writeTable(model: string, rows: EvalRow[]): string {
  const groups = [...Map.groupBy(rows, ({ category }) => category)];
  const lines = [
    [model, ...heads.slice(1)],
    ...groups.map(([category, group]) => summarise(category, group)),
    summarise('total', rows),
  ];
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const table = lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  const failed = rows.filter(({ problems }) => problems.length > 0);
  return [
    ...table,
    ...failed.map(({ id, problems }) => `\n${id}\n${problems.map(writeProblem).join('\n')}`),
  ].join('\n');
}

function writeProblem(problem: string): string {
  return `  - ${problem.length <= maxProblem ? problem : `${problem.slice(0, maxProblem)}…`}`;
}

function summarise(name: string, rows: EvalRow[]): string[] {
  const passed = rows.filter(({ problems }) => problems.length === 0).length;
  const mean = (read: (row: EvalRow) => number) =>
    rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + read(row), 0) / rows.length;
  const cost = rows.reduce((sum, row) => sum + row.cost, 0);
  return [
    name,
    `${passed}/${rows.length}`,
    rows.length === 0 ? '' : `${Math.round((100 * passed) / rows.length)} %`,
    mean(({ calls }) => calls).toFixed(1),
    mean(({ tokensIn }) => tokensIn).toFixed(0),
    mean(({ tokensOut }) => tokensOut).toFixed(0),
    mean(({ seconds }) => seconds).toFixed(1),
    cost === 0 ? '' : `$${cost.toFixed(3)}`,
  ];
}

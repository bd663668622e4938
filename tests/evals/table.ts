import type { Category } from './case.ts';

export type EvalRow = {
  model: string;
  category: Category;
  id: string;
  problems: string[];
  calls: number;
  tokensIn: number;
  tokensOut: number;
  words: number;
  questions: number;
  seconds: number;
  cost: number;
};

const heads = [
  ...['', 'passed', '', 'calls', 'tokens in', 'tokens out', 'words', 'questions'],
  ...['seconds', 'cost'],
];
const maxProblem = 1500;

/** Means per case, which decide nothing; cost is the total. */
export function writeTable(rows: EvalRow[]): string {
  const models = [...new Set(rows.map(({ model }) => model))];
  const several = models.length > 1;
  const compare = (name: string, group: EvalRow[]) =>
    models.map((model) =>
      summarise(
        several ? `${name} ${model}` : name,
        group.filter((row) => row.model === model),
      ),
    );
  const lines = [
    [several ? '' : (models[0] ?? ''), ...heads.slice(1)],
    ...[...Map.groupBy(rows, ({ category }) => category)].flatMap(([category, group]) =>
      compare(category, group),
    ),
    ...compare('total', rows),
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
    ...failed.map(
      ({ model, id, problems }) =>
        `\n${several ? `${model}: ` : ''}${id}\n${problems.map(writeProblem).join('\n')}`,
    ),
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
    mean(({ words }) => words).toFixed(0),
    mean(({ questions }) => questions).toFixed(1),
    mean(({ seconds }) => seconds).toFixed(1),
    cost === 0 ? '' : `$${cost.toFixed(3)}`,
  ];
}

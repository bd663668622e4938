// A dry run in words.
import type { StepStatus } from '#domain/plan/plan.ts';
import type { Simulation } from '#domain/service.ts';
import { cutShown, isolateText, quoteName, showWhole } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { headlineOf, leadOf } from './calls.ts';
import type { Table } from './view.ts';
import { formatCost, stepWords } from './words.ts';

type Call = Simulation['calls'][number];

type DryRunView = {
  title: string;
  /** Why it can't run at all. */
  problems: string[];
  rows: { lead: string; text: string; note: string }[];
  /** `3 steps: 1 new, 1 overwritten · no model calls · asks Ana once` */
  sum: string;
};

const untouched = new Set<StepStatus>(['pending', 'ready', 'cancelled']);

const dryRunWords = {
  title: ({ id, version }: { id: string; version: number }) =>
    `Dry run of ${id}, version ${version}`,
  nothing: 'Nothing was called.',
  more: ({ hidden }: { hidden: number }) => `And ${countOf(hidden, 'more step')}.`,
} as const;

/** The target today, or empty. */
function describeFound({ found, call, changed }: Call): string {
  const since = changed ? ', changed since it was proposed' : '';
  switch (found) {
    case null:
      return '';
    case 'new':
      return `new${since}`;
    case 'missing':
      return `missing: it would fail${since}`;
    case 'exists':
      return `${call.target?.fails === true ? 'is there already: it would fail' : call.destructive ? 'overwritten' : 'is there'}${since}`;
    default:
      return found satisfies never;
  }
}

function describeAsks({ asks }: Call): string {
  if (asks === null) return '';
  const who = asks.who === null ? 'a person' : quoteName(asks.who, 80);
  return asks.kind === 'task' ? `asks ${who}` : `asks ${who} before it runs`;
}

const openOf = ({ calls }: Simulation) => calls.filter(({ status }) => untouched.has(status));

function sumUp(simulation: Simulation): string {
  const open = openOf(simulation);
  const count = (isSo: (call: Call) => boolean) => open.filter(isSo).length;
  const found = [
    [count((one) => one.found === 'new'), 'new'],
    [count((one) => one.found === 'exists' && one.call.destructive), 'overwritten'],
    [count((one) => one.call.target?.fails === true), 'would fail'],
  ].flatMap(([many, words]) => (many === 0 ? [] : [`${many} ${words}`]));
  const { model_steps: steps, usd } = simulation.cost;
  const cost =
    steps === 0
      ? 'no model calls'
      : `${countOf(steps, 'model call')}${usd === null ? '' : `, about ${formatCost(usd)}`}`;
  const asks = count(({ asks: one }) => one !== null);
  return [
    `${countOf(open.length, 'step')} to run${found.length === 0 ? '' : `: ${found.join(', ')}`}`,
    cost,
    ...(asks === 0 ? [] : [`asks ${countOf(asks, 'time')}`]),
    dryRunWords.nothing,
  ].join(' · ');
}

/** @param now for ages @param most rows; the rest is counted */
export function viewDryRun(simulation: Simulation, now: string, most = 200): DryRunView {
  const { plan_id: id, version, calls, problems, total } = simulation;
  const rows = calls.slice(0, most).map((one) => {
    const isOpen = untouched.has(one.status);
    const state = isOpen ? describeFound(one) : stepWords[one.status];
    const note = [state, isOpen ? describeAsks(one) : ''];
    return {
      lead: leadOf(one.label, one.guarded, one.call.destructive),
      text: isolateText(cutShown(headlineOf(one.call, now), 300)),
      note: note.filter((part) => part !== '').join(' · '),
    };
  });
  const hidden = total - rows.length;
  const more = { lead: '', text: dryRunWords.more({ hidden }), note: '' };
  return {
    title: dryRunWords.title({ id, version }),
    problems: problems.map(({ label, reason }) =>
      showWhole(label === undefined ? reason : `Step ${label}: ${reason}`),
    ),
    rows: hidden > 0 ? [...rows, more] : rows,
    sum: sumUp(simulation),
  };
}

/** Drawn below `headOf`. */
export const tableOf = ({ title, rows }: DryRunView): Table => ({
  caption: title,
  columns: ['Step', 'What it does', 'Today'],
  rows: rows.map(({ lead, text, note }) => [lead, text, note]),
});

export const headOf = ({ title, sum, problems }: DryRunView): string[] => [
  title,
  sum,
  ...problems.map((problem) => `✕ ${problem}`),
];

export function writeDryRun(view: DryRunView): string {
  return [
    ...headOf(view),
    ...view.rows.map(({ lead, text, note }) =>
      [lead, note === '' ? text : `${text} · ${note}`].filter((part) => part !== '').join('  '),
    ),
  ].join('\n');
}

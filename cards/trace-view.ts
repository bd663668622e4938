// A planning run for terminal and console, made safe here.
import type { TraceEntry } from '#domain/planning/trace.ts';
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import { showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { formatTook } from './times.ts';
import {
  describeAdaptation,
  describeConfidence,
  describeParts,
  formatCharge,
  nameEvent,
  nameStage,
} from './trace-words.ts';
import type { Tone } from './view.ts';

export type TraceNote = { symbol: string; tone: Tone; text: string };

/** Missing facts are empty. */
export type TraceLine = {
  symbol: string;
  /** For screen readers. */
  state: string;
  tone: Tone;
  decided: boolean;
  /** ISO 8601. */
  at: string;
  name: string;
  took: string;
  cost: string;
  confidence: string;
  text: string;
  notes: TraceNote[];
};

export type TraceStage = {
  turn: number;
  title: string;
  at: string;
  /** `1.2 s`, `$0.003` */
  facts: string[];
  lines: TraceLine[];
  /** Null if it continues or the trace ends. */
  end: { at: string; text: string; confidence: string; notes: TraceNote[] } | null;
};

export type TraceView = {
  planner: string;
  reason: string;
  stages: TraceStage[];
  /** Stages show theirs if several. */
  turns: number;
  /** `4.2 s · $0.02 · 3 calls` */
  totals: string;
  /** Calls that never returned. */
  warnings: string[];
  /** Why there is nothing, or empty. */
  empty: string;
};

const maxLine = 2000;
const show = (text: string) => showLine(text, maxLine);

function noteViolations({ violations = [] }: TraceEntry): TraceNote[] {
  return violations.map(({ code, node, text, blocking }) => ({
    symbol: blocking ? '✕' : '!',
    tone: blocking ? 'attention' : 'warning',
    text: show(`${code.replaceAll('_', ' ')}${node === null ? '' : ` (${node})`}: ${text}`),
  }));
}

function noteAdaptations({ adaptations = [] }: TraceEntry): TraceNote[] {
  return adaptations.map((adaptation) => {
    const { symbol, text } = describeAdaptation(adaptation);
    return { symbol, tone: 'default', text: show(text) };
  });
}

const notesOf = (entry: TraceEntry) => [...noteViolations(entry), ...noteAdaptations(entry)];

function describeSureness({ confidence, parts }: TraceEntry): string {
  if (parts !== undefined) return `${describeConfidence(parts.composite)}: ${describeParts(parts)}`;
  return confidence === null ? '' : describeConfidence(confidence);
}

function viewWork(entry: TraceEntry): TraceLine {
  const { ok, remembered = false } = entry;
  const [symbol, state, tone]: [string, string, Tone] = !ok
    ? ['✕', 'Failed', 'attention']
    : remembered
      ? ['↺', 'Remembered', 'default']
      : ['✓', 'Done', 'good'];
  const text = show(entry.explanation);
  return {
    symbol,
    state,
    tone,
    decided: false,
    at: entry.at,
    name: showLine(entry.tool, 60),
    took: formatTook(entry.duration_ms),
    cost: formatCharge(entry.cost_delta),
    // A failed call's 0 is by rule.
    confidence: ok ? describeSureness(entry) : '',
    text: remembered ? `remembered: ${text}` : text,
    notes: notesOf(entry),
  };
}

function viewDecision(entry: TraceEntry, decision: string): TraceLine {
  const asked = entry.call_to_action;
  const after = entry.duration_ms > 0 ? `after ${formatTook(entry.duration_ms)}` : '';
  const moves = entry.event !== undefined;
  return {
    symbol: '●',
    state: 'Decided',
    tone: 'accent',
    decided: true,
    at: entry.at,
    name: showLine(decision, 120),
    took: moves ? '' : after,
    cost: '',
    confidence: '',
    text: [
      ...(moves ? [] : [show(entry.explanation)]),
      ...(asked === undefined ? [] : [`asked: ${show(asked)}`]),
    ]
      .filter((part) => part !== '')
      .join(' · '),
    notes: [],
  };
}

/** To the last stage or a new one. */
function addEntry(stages: TraceStage[], entry: TraceEntry): void {
  const { event, to, decision, turn = stages.at(-1)?.turn ?? 1 } = entry;
  const title = nameStage(entry.stage);
  let stage = stages.at(-1);
  if (stage === undefined || stage.end !== null || stage.title !== title || stage.turn !== turn) {
    stage = { turn, title, at: entry.at, facts: [], lines: [], end: null };
    stages.push(stage);
  }
  if (decision !== undefined) stage.lines.push(viewDecision(entry, decision));
  if (event === undefined) {
    if (decision === undefined) stage.lines.push(viewWork(entry));
    return;
  }
  const next = to === undefined ? '' : ` → ${nameStage(to)}`;
  stage.end = {
    at: entry.at,
    text: `${nameEvent(event)}${next}`,
    confidence: describeSureness(entry),
    notes: notesOf(entry),
  };
}

function factsOf(entries: TraceEntry[]): string[] {
  const work = entries.filter(
    ({ decision, event }) => decision === undefined && event === undefined,
  );
  if (work.length === 0) return [];
  const took = work.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const cost = formatCharge(work.reduce((sum, { cost_delta }) => sum + cost_delta, 0));
  return [formatTook(took), ...(cost === '' ? [] : [cost])];
}

function viewStages(entries: TraceEntry[]): TraceStage[] {
  const stages: TraceStage[] = [];
  const parts = new Map<TraceStage, TraceEntry[]>();
  for (const entry of entries) {
    addEntry(stages, entry);
    const stage = stages.at(-1);
    if (stage !== undefined) parts.set(stage, [...(parts.get(stage) ?? []), entry]);
  }
  return stages.map((stage) => ({ ...stage, facts: factsOf(parts.get(stage) ?? []) }));
}

function sumUp({ totals }: PlanningTrace): string {
  const { calls, failed, remembered, turns } = totals;
  return [
    formatTook(totals.duration_ms),
    formatCharge(totals.cost_usd) || 'no cost',
    countOf(calls, 'call'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(remembered > 0 ? [`${remembered} remembered`] : []),
    ...(turns > 1 ? [countOf(turns, 'turn')] : []),
  ].join(' · ');
}

function warnAbout({ open_calls }: PlanningTrace): string[] {
  if (open_calls.length === 0) return [];
  const estimate = open_calls.reduce((sum, { estimate_usd }) => sum + estimate_usd, 0);
  const calls = countOf(open_calls.length, 'model call');
  return [
    `${calls} without a result, counted at the estimated ${formatCharge(estimate) || 'zero cost'}.`,
  ];
}

export function viewTrace(trace: PlanningTrace): TraceView {
  const { entries, run_id } = trace;
  const none =
    run_id === null
      ? 'This plan was submitted directly; no planner drafted it.'
      : 'Nothing has been planned yet.';
  return {
    planner: showLine(trace.planner, 120),
    reason: trace.reason === null ? '' : show(trace.reason),
    stages: viewStages(entries),
    turns: trace.totals.turns,
    totals: entries.length === 0 ? '' : sumUp(trace),
    warnings: warnAbout(trace),
    empty: entries.length === 0 ? none : '',
  };
}

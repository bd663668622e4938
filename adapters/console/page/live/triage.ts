// Bulk decisions, each bound to the version that was read.
import type { Plan } from '#domain/plan/plan.ts';
import {
  describeDecision,
  showForTriage,
  type Triage,
  type TriageAct,
  type TriageRow,
  toSend,
  whyNot,
} from '../inbox/triage.ts';
import { ApiError, describeError, request } from './api.ts';
import { refreshInbox } from './inbox.ts';
import { takenOff } from './part.ts';
import { loadCard, refreshPlan } from './plans.ts';
import { change, state } from './store.ts';

/** Digests of versions opened in the plan's column. */
const opened = new Set<string>();

/** Not behind the dialog, where nobody reads it. */
export function noteOpened(): void {
  if (state.triage !== null) return;
  const card = state.plan === null ? undefined : state.cards.get(state.plan.id);
  if (card !== undefined) opened.add(card.facts.plan.digest);
}

export function wasOpened(digest: string): boolean {
  return opened.has(digest);
}

function update(part: Partial<Triage>): void {
  change((s) => {
    if (s.triage !== null) s.triage = { ...s.triage, ...part };
  });
}

function updateRow(id: string, part: Partial<TriageRow>): void {
  const rows = state.triage?.rows ?? [];
  update({ rows: rows.map((row) => (row.plan.id === id ? { ...row, ...part } : row)) });
}

async function readRow(id: string): Promise<void> {
  await loadCard(id);
  const card = state.cards.get(id);
  if (card === undefined || state.triage === null) return;
  const { digest } = card.facts.plan;
  const except = [...takenOff(state, { plan_id: id, digest })];
  updateRow(id, { shown: showForTriage(card.facts, card.view, except), key: crypto.randomUUID() });
}

/** Includes decidable plans; newer versions are the person's choice. */
async function prepareRow({ plan: { id, digest } }: TriageRow, act: TriageAct): Promise<void> {
  try {
    await readRow(id);
    const shown = state.triage?.rows.find((row) => row.plan.id === id)?.shown ?? null;
    if (shown === null) return;
    const same = shown.digest === digest;
    const included = same && whyNot(act, shown, wasOpened(shown.digest)) === null;
    const words = `This plan changed while you were reading: version ${shown.version} is below.`;
    updateRow(id, { included, outcome: same ? null : { words, good: false, settled: false } });
  } catch (error) {
    updateRow(id, { outcome: { words: describeError(error), good: false, settled: false } });
  }
}

const readAtOnce = 4;

async function eachOf<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const next = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: readAtOnce }, next));
}

export async function openTriage(act: TriageAct): Promise<void> {
  const rows = [...state.inbox.ticked.values()].map(
    (plan): TriageRow => ({ plan, shown: null, included: false, key: '', outcome: null }),
  );
  if (rows.length === 0) return;
  change((s) => {
    s.triage = { act, rows, reason: '', sending: false };
  });
  await eachOf(rows, (row) => prepareRow(row, act));
}

export function closeTriage(): void {
  if (state.triage?.sending === true) return;
  document.querySelector<HTMLDialogElement>('dialog#triage')?.close();
  change((s) => {
    s.triage = null;
  });
}

export function includeRow(id: string, included: boolean): void {
  updateRow(id, { included });
}

export function writeReason(reason: string): void {
  update({ reason });
}

async function decide(act: TriageAct, row: TriageRow, reason: string): Promise<Plan> {
  const { shown, key, plan } = row;
  if (shown === null) throw new Error('It is being read.');
  const { version, digest, except, passed } = shown;
  const feedback = reason.trim() === '' ? {} : { feedback: reason.trim() };
  const body =
    act === 'approve'
      ? {
          version,
          digest,
          ...(except.length === 0 ? {} : { except }),
          ...(passed === undefined ? {} : { passed }),
        }
      : { version, ...feedback };
  const path = `/api/plans/${encodeURIComponent(plan.id)}/${act}`;
  const headers = { 'idempotency-key': key };
  return (await request('POST', path, { body, headers })).json();
}

function untick(id: string): void {
  const ticked = new Map(state.inbox.ticked);
  if (!ticked.delete(id)) return;
  change((s) => {
    s.inbox.ticked = ticked;
  });
}

/** Reloads a refused row; one without an answer can be resent. */
async function takeRefusal(row: TriageRow, error: unknown): Promise<void> {
  const { id } = row.plan;
  const words = describeError(error);
  const refused = error instanceof ApiError && error.status < 500;
  updateRow(id, { outcome: { words, good: false, settled: false }, included: !refused });
  if (!refused) return;
  await readRow(id).catch(() => undefined);
  const shown = state.triage?.rows.find((one) => one.plan.id === id)?.shown;
  if (shown?.open === true) return;
  updateRow(id, { outcome: { words, good: false, settled: true } });
  untick(id);
}

async function sendRow(row: TriageRow, { act, reason }: Triage): Promise<void> {
  try {
    const plan = await decide(act, row, reason);
    const words = describeDecision(act, plan);
    updateRow(row.plan.id, { outcome: { words, good: true, settled: true } });
    untick(row.plan.id);
  } catch (error) {
    await takeRefusal(row, error);
  }
}

export async function sendTriage(): Promise<void> {
  const { triage } = state;
  if (triage === null || triage.sending) return;
  update({ sending: true });
  for (const row of toSend(triage)) await sendRow(row, triage);
  update({ sending: false });
  refreshInbox();
  if (state.plan !== null) void refreshPlan();
}

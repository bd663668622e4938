// Actions of the plan builder; its state stays in this browser.
import { headlineOf } from '#cards/calls.ts';
import {
  type BuildMove,
  type BuiltPlan,
  emptyBuild,
  emptyPlan,
  toDraft,
} from '#domain/plan/build.ts';
import type { OperationForm, OperationOffer } from '#domain/plan/operation-form.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { browserZone } from '../plan/browser-zone.ts';
import { zone } from '../plan/format.ts';
import { describeError, get, post } from './api.ts';
import { openPlan, showPane } from './focus.ts';
import { refreshInbox } from './inbox.ts';
import { recall, remember } from './remembered.ts';
import type { Builder, Card } from './state.ts';
import { moveForm } from './step-form.ts';
import { change, changeNow, state } from './store.ts';

const storeKey = 'draft';
const timezone = zone();

function readStored(): BuiltPlan {
  const stored = recall(storeKey) as Partial<BuiltPlan> | null;
  const isStep = (one: Partial<BuiltPlan['steps'][number]>) =>
    Array.isArray(one?.form?.fields) && typeof one.entries === 'object' && Array.isArray(one.after);
  return stored !== null && Array.isArray(stored.steps) && stored.steps.every(isStep)
    ? { ...emptyPlan, ...stored }
    : emptyPlan;
}

function update(part: Partial<Builder>): void {
  change((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, ...part };
  });
}

const focusOn = (selector: string) =>
  document.querySelector<HTMLElement>(`dialog#builder ${selector}`)?.focus();

export function openBuilder(): void {
  if (state.builder !== null) {
    focusOn('#operation-search');
    return;
  }
  if (document.querySelector('dialog[open]') !== null) return;
  const plan = readStored();
  change((s) => {
    s.builder = {
      build: { ...emptyBuild, plan },
      find: { words: '', found: null, at: 0, busy: true, problem: null },
      values: new Map(),
      card: null,
      problem: null,
      busy: false,
      sending: false,
    };
  });
  void search('');
  if (plan.steps.length > 0) void preview();
}

export function closeBuilder(): void {
  document.querySelector<HTMLDialogElement>('dialog#builder')?.close();
  change((s) => {
    s.builder = null;
  });
}

let searching = 0;

export async function search(words: string): Promise<void> {
  searching += 1;
  const own = searching;
  if (state.builder === null) return;
  const find = { ...state.builder.find, words, busy: true };
  // Draws now, so that the next key acts on these results.
  changeNow((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, find };
  });
  try {
    const query = new URLSearchParams({ limit: '40', ...(words.trim() === '' ? {} : { words }) });
    const { operations } = await get<{ operations: OperationOffer[] }>(`/api/operations?${query}`);
    if (own === searching)
      update({ find: { words, found: operations, at: 0, busy: false, problem: null } });
  } catch (error) {
    if (own === searching)
      update({ find: { words, found: [], at: 0, busy: false, problem: describeError(error) } });
  }
}

export function moveChoice(by: number): void {
  const { builder } = state;
  if (builder === null) return;
  const last = (builder.find.found?.length ?? 1) - 1;
  const at = Math.max(0, Math.min(last, builder.find.at + by));
  changeNow((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, find: { ...s.builder.find, at } };
  });
  document.getElementById(`operation-${at}`)?.scrollIntoView({ block: 'nearest' });
}

export async function choose(offer: OperationOffer): Promise<void> {
  try {
    const form = await get<OperationForm>(`/api/operations/${encodeURIComponent(offer.name)}`);
    if (state.builder !== null) fillIn({ kind: 'choose', form });
  } catch (error) {
    if (state.builder !== null)
      update({ find: { ...state.builder.find, problem: describeError(error) } });
  }
}

export function fillIn(move: Extract<BuildMove, { kind: 'choose' | 'edit' }>): void {
  moveForm('builder', move, true);
  focusOn('.operation-form :is(textarea, input, select)');
  if (document.activeElement?.closest('.operation-form') === null) focusOn('[data-adds]');
}

export function leaveForm(): void {
  moveForm('builder', { kind: 'leave' }, true);
  focusOn('#operation-search');
}

export function addStep(): void {
  moveForm('builder', { kind: 'add' }, true);
  if ((state.builder?.build.problems.length ?? 0) > 0) {
    focusOn('[aria-invalid="true"]');
    return;
  }
  keep();
  leaveForm();
  void search('');
}

export function changePlan(move: BuildMove): void {
  moveForm('builder', move);
  keep();
}

function keep(): void {
  if (state.builder !== null) remember(storeKey, state.builder.build.plan);
  void preview();
}

function titleFrom(card: Card | null): string {
  const call = card?.facts.steps[0]?.call;
  return call === undefined ? '' : headlineOf(call);
}

const draftNow = ({ build, card }: Builder) => ({
  ...toDraft(build.plan, titleFrom(card), timezone, browserZone),
  conversation: state.conversation,
});

let previewing = 0;

async function preview(): Promise<void> {
  previewing += 1;
  const own = previewing;
  const { builder } = state;
  if (builder === null) return;
  if (builder.build.plan.steps.length === 0)
    return update({ card: null, problem: null, busy: false });
  update({ busy: true });
  try {
    const path = `/api/plans/preview?timezone=${encodeURIComponent(timezone)}`;
    const card = await post<Card>(path, draftNow(builder));
    if (own === previewing) update({ card, problem: null, busy: false });
  } catch (error) {
    if (own === previewing) update({ problem: describeError(error), busy: false });
  }
}

export async function proposeBuilt(): Promise<void> {
  const { builder } = state;
  if (builder === null || builder.sending || builder.build.plan.steps.length === 0) return;
  update({ sending: true });
  try {
    const { id } = await post<Plan>('/api/plans', draftNow(builder));
    remember(storeKey, null);
    closeBuilder();
    openPlan(id);
    showPane('plan');
    refreshInbox();
  } catch (error) {
    update({ problem: describeError(error), sending: false });
  }
}

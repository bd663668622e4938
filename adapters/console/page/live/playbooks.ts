// Playbooks: gallery, parameter form, saving a plan.
import type { Plan } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import { describeError, get, post } from './api.ts';
import { closeBuilder } from './builder.ts';
import { openPlan, showPane } from './focus.ts';
import { refreshInbox } from './inbox.ts';
import type { Playbooks } from './state.ts';
import { change, changeNow, state } from './store.ts';

function update(part: Partial<Playbooks>): void {
  changeNow((s) => {
    if (s.playbooks !== null) s.playbooks = { ...s.playbooks, ...part };
  });
}

const none = {
  list: null,
  open: null,
  values: new Map<string, string>(),
  problem: null,
  sending: false,
};

export async function openPlaybooks(): Promise<void> {
  closeBuilder();
  change((s) => {
    s.playbooks = { ...none, save: null };
  });
  try {
    const { playbooks } = await get<{ playbooks: Playbook[] }>('/api/playbooks');
    update({ list: playbooks });
  } catch (error) {
    update({ problem: describeError(error) });
  }
}

export function startSaving({ id, title }: Pick<Plan, 'id' | 'title'>): void {
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);
  change((s) => {
    s.playbooks = {
      ...none,
      save: { plan: id, params: [] },
      values: new Map([['name', name]]),
    };
  });
}

export function closePlaybooks(): void {
  document.querySelector<HTMLDialogElement>('dialog#playbooks')?.close();
  change((s) => {
    s.playbooks = null;
  });
}

/** Null shows the gallery. */
export function openPlaybook(open: Playbook | null): void {
  const values = (open?.params ?? []).map(({ name, text }): [string, string] => [name, text]);
  update({ open, values: new Map(values), problem: null });
  document
    .querySelector<HTMLElement>('dialog#playbooks :is(.dialog-body input, .dialog-foot .primary)')
    ?.focus();
}

export function enterValue(name: string, value: string): void {
  const { playbooks } = state;
  if (playbooks === null) return;
  change((s) => {
    if (s.playbooks !== null) s.playbooks.values = new Map([...playbooks.values, [name, value]]);
  });
}

export function setParams(count: number): void {
  const save = state.playbooks?.save;
  if (save != null)
    update({ save: { ...save, params: Array.from({ length: count }, (_, at) => at) } });
}

async function send<T>(work: () => Promise<T>): Promise<T | null> {
  if (state.playbooks === null || state.playbooks.sending) return null;
  update({ sending: true, problem: null });
  try {
    return await work();
  } catch (error) {
    update({ sending: false, problem: describeError(error) });
    return null;
  }
}

export async function runPlaybook(): Promise<void> {
  const { playbooks } = state;
  const open = playbooks?.open;
  if (playbooks == null || open == null) return;
  const params = Object.fromEntries(
    [...playbooks.values].filter(([, value]) => value.trim() !== ''),
  );
  const path = `/api/playbooks/${encodeURIComponent(open.name)}/run`;
  const plan = await send(() => post<Plan>(path, { params, conversation: state.conversation }));
  if (plan === null) return;
  closePlaybooks();
  openPlan(plan.id);
  showPane('plan');
  refreshInbox();
}

export async function savePlaybook(): Promise<void> {
  const { playbooks } = state;
  const save = playbooks?.save;
  if (playbooks == null || save == null) return;
  const value = (name: string) => (playbooks.values.get(name) ?? '').trim();
  const params = Object.fromEntries(
    save.params
      .map((at): [string, string] => [value(`name ${at}`), value(`text ${at}`)])
      .filter(([name, text]) => name !== '' && text !== ''),
  );
  const body = { plan_id: save.plan, name: value('name'), params };
  const saved = await send(() => post<Playbook>('/api/playbooks', body));
  if (saved !== null) await openPlaybooks();
}

// The settings dialog; sliders are stored with one press.
import type { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { PolicyView } from '#domain/service.ts';
import type { CheckedPart, CheckResult, ModelEntry, SettingsView } from '#domain/settings-view.ts';
import { reader } from '../plan/people.ts';
import { writeAddress } from './address.ts';
import { describeError, get, post, put, request } from './api.ts';
import { readMemory } from './memory.ts';
import { type Settings, type SettingsSection, sections } from './state.ts';
import { change, state } from './store.ts';

/** The page has no login; the server calls its person this. */
const path = `/api/policy/${reader}`;

function changeSettings(apply: (settings: Settings) => Partial<Settings>): void {
  change((s) => {
    if (s.settings !== null) s.settings = { ...s.settings, ...apply(s.settings) };
  });
}

export async function openSettings(section: SettingsSection = 'preferences'): Promise<void> {
  try {
    const [{ policy, set, calendar: host }, memory] = await Promise.all([
      get<PolicyView>(path),
      readMemory(),
    ]);
    change((s) => {
      s.settings = {
        section,
        policy,
        set,
        calendar: { host, entry: '' },
        memory,
        saving: false,
        problem: null,
        facts: null,
        factsProblem: null,
        identity: null,
        identityProblem: null,
        search: '',
        checks: new Map(),
      };
    });
    writeAddress(true);
    await Promise.all([readFacts(), readMe()]);
  } catch (error) {
    change((s) => {
      s.problem = describeError(error);
    });
  }
}

export function followSettings(query: URLSearchParams): void {
  const named = query.get('settings');
  if (named === null) return;
  void openSettings(sections.find((section) => section === named));
}

export async function readFacts(): Promise<void> {
  changeSettings(() => ({ factsProblem: null }));
  try {
    const facts = await get<SettingsView>('/api/settings');
    document.body.dataset.model = facts.models.connected === null ? 'none' : 'connected';
    changeSettings(() => ({ facts }));
  } catch (error) {
    changeSettings(() => ({ factsProblem: describeError(error) }));
  }
}

export async function readMe(): Promise<void> {
  changeSettings(() => ({ identityProblem: null }));
  try {
    const { readIdentity } = await import('./identity.ts');
    const identity = await readIdentity();
    changeSettings(() => ({ identity }));
  } catch (error) {
    changeSettings(() => ({ identityProblem: describeError(error) }));
  }
}

/** Sections overflow on narrow screens. */
export function showSection(): void {
  document
    .querySelector('#settings [aria-current]')
    ?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

export function openSection(section: SettingsSection): void {
  changeSettings(() => ({ section }));
  writeAddress(false);
  document.querySelector('#settings .settings-body')?.scrollTo(0, 0);
  // The drawing marks it first.
  requestAnimationFrame(() => requestAnimationFrame(showSection));
}

export function searchTools(search: string): void {
  changeSettings(() => ({ search }));
}

export function nameCheck(asked: CheckedPart): string {
  return 'tool' in asked ? `tool ${asked.tool}` : asked.part;
}

export async function check(asked: CheckedPart): Promise<void> {
  const name = nameCheck(asked);
  const note = (results: CheckResult[] | null) =>
    changeSettings(({ checks }) => ({ checks: new Map([...checks, [name, results]]) }));
  note(null);
  try {
    const { results } = await post<{ results: CheckResult[] }>('/api/settings/check', asked);
    await readFacts();
    note(results);
  } catch (error) {
    note([{ part: name, state: 'broken', text: describeError(error) }]);
  }
}

export const modelCheck = 'model';

const noteModel = (results: CheckResult[] | null) =>
  changeSettings(({ checks }) => ({ checks: new Map([...checks, [modelCheck, results]]) }));

/** Polls while the instance restarts. */
async function readFactsAgain(isDone: (view: SettingsView) => boolean): Promise<void> {
  for (let tries = 0; tries < 30; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await readFacts().catch(() => undefined); // not there yet
    const facts = state.settings?.facts;
    if (facts === undefined || (facts !== null && isDone(facts))) return;
  }
}

export async function connectModel(entry: ModelEntry): Promise<void> {
  noteModel(null);
  try {
    const { results } = await put<{ results: CheckResult[] }>('/api/settings/model', entry);
    if (results.every(({ state: found }) => found === 'ok'))
      await readFactsAgain(({ models }) => models.connected !== null);
    noteModel(results);
  } catch (error) {
    noteModel([{ part: modelCheck, state: 'broken', text: describeError(error) }]);
  }
}

export async function disconnectModel(): Promise<void> {
  noteModel(null);
  try {
    await request('DELETE', '/api/settings/model');
    await readFactsAgain(({ models }) => models.connected === null);
    noteModel([]);
  } catch (error) {
    noteModel([{ part: modelCheck, state: 'broken', text: describeError(error) }]);
  }
}

/** Leaves for the server's sign-in page, which comes back. */
export async function connect(server: string): Promise<void> {
  const asked: CheckedPart = { part: 'tool', tool: server };
  const note = (results: CheckResult[] | null) =>
    changeSettings(({ checks }) => ({ checks: new Map([...checks, [nameCheck(asked), results]]) }));
  note(null);
  try {
    const path = `/api/settings/tools/${encodeURIComponent(server)}/sign-in`;
    const { url } = await post<{ url: string }>(path, {});
    location.assign(url);
  } catch (error) {
    note([{ part: server, state: 'broken', text: describeError(error) }]);
  }
}

export async function disconnect(server: string): Promise<void> {
  const asked: CheckedPart = { part: 'tool', tool: server };
  try {
    await request('DELETE', `/api/settings/tools/${encodeURIComponent(server)}/sign-in`);
  } catch (error) {
    const results: CheckResult[] = [{ part: server, state: 'broken', text: describeError(error) }];
    changeSettings(({ checks }) => ({ checks: new Map([...checks, [nameCheck(asked), results]]) }));
    return;
  }
  await check(asked);
}

/** Returns the focus. */
export function closeSettings(): void {
  if (state.settings === null) return;
  document.querySelector<HTMLDialogElement>('dialog#settings')?.close();
  change((s) => {
    s.settings = null;
  });
  writeAddress(false);
}

export function moveSlider(moved: Partial<InteractionPolicy>): void {
  changeSettings(({ policy, set }) => ({
    policy: { ...policy, ...moved },
    set: { ...set, ...moved },
    problem: null,
  }));
}

export function enterCalendar(entry: string): void {
  changeSettings(({ calendar }) => ({ calendar: { ...calendar, entry }, problem: null }));
}

/** An empty `set` restores the defaults. */
async function store(set: PolicyOverride & { calendar?: string }): Promise<void> {
  if (state.settings === null || state.settings.saving) return;
  changeSettings(() => ({ saving: true, problem: null }));
  try {
    await put<PolicyView>(path, set);
    closeSettings();
  } catch (error) {
    changeSettings(() => ({ saving: false, problem: describeError(error) }));
  }
}

export function saveSettings(): Promise<void> {
  const { set = {}, calendar } = state.settings ?? {};
  return store({ ...set, calendar: calendar?.entry ?? '' });
}

export function resetSettings(): Promise<void> {
  return store({});
}

// The dialog of settings. The sliders of the person at this page are read when it opens and stored with one press, so that a
// half-moved slider changes nothing; how the instance is set up is only read.
import type { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { PolicyView } from '#domain/service.ts';
import type { CheckedPart, CheckResult, ModelEntry, SettingsView } from '#domain/settings-view.ts';
import { reader } from '../plan/people.ts';
import { writeAddress } from './address.ts';
import { describeError, get, post, put, request } from './api.ts';
import { readMemory } from './memory.ts';
import { type Settings, type SettingsSection, sections } from './state.ts';
import { change, state } from './store.ts';

/** The page has no login; the server calls its person so. */
const path = `/api/policy/${reader}`;

/** Changes the open dialog; one that was closed meanwhile stays closed. */
function changeSettings(apply: (settings: Settings) => Partial<Settings>): void {
  change((s) => {
    if (s.settings !== null) s.settings = { ...s.settings, ...apply(s.settings) };
  });
}

/** Opens the dialog with what the server says. */
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

/** Opens the section that the address names, if it names one. */
export function followSettings(query: URLSearchParams): void {
  const named = query.get('settings');
  if (named === null) return;
  void openSettings(sections.find((section) => section === named));
}

/** Reads how the instance is set up. */
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

/** Reads who the person is, with the part of the page that only the settings need. */
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

/** On a narrow screen the row of sections is wider than the dialog. */
export function showSection(): void {
  document
    .querySelector('#settings [aria-current]')
    ?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

export function openSection(section: SettingsSection): void {
  changeSettings(() => ({ section }));
  writeAddress(false);
  document.querySelector('#settings .settings-body')?.scrollTo(0, 0);
  // After the drawing: the section is marked then.
  requestAnimationFrame(() => requestAnimationFrame(showSection));
}

export function searchTools(search: string): void {
  changeSettings(() => ({ search }));
}

/** The key of a check's result. */
export function nameCheck(asked: CheckedPart): string {
  return 'tool' in asked ? `tool ${asked.tool}` : asked.part;
}

/** Checks a part and reads the settings again. */
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

/** The key of what testing a model gave. */
export const modelCheck = 'model';

const noteModel = (results: CheckResult[] | null) =>
  changeSettings(({ checks }) => ({ checks: new Map([...checks, [modelCheck, results]]) }));

/** The server restarts its instance: poll until it has. */
async function readFactsAgain(isDone: (view: SettingsView) => boolean): Promise<void> {
  for (let tries = 0; tries < 30; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await readFacts().catch(() => undefined); // it is not there yet
    const facts = state.settings?.facts;
    if (facts === undefined || (facts !== null && isDone(facts))) return;
  }
}

/** Tests a key, and has the server use it where every model answers. */
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

/** Leaves the page for the one where the person signs in at an MCP server; it comes back here. */
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

/** Forgets the sign-in at an MCP server. */
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

/** Closing it gives the focus back to what it was opened with. */
export function closeSettings(): void {
  if (state.settings === null) return;
  document.querySelector<HTMLDialogElement>('dialog#settings')?.close();
  change((s) => {
    s.settings = null;
  });
  writeAddress(false);
}

/** Moves one slider in the dialog; nothing is stored yet. */
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

/** Stores what the dialog shows, or nothing at all: then everything is as it was in the beginning. */
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

// What the person at this page asked to keep: each press is stored at once, and the list is what the server answers.
import type { MemoryEntry, MemoryNote } from '#domain/people/memory.ts';
import { describeError, get, post, request } from './api.ts';
import { change, state } from './store.ts';

/** The page has no login; the server calls its person so. */
const path = '/api/memory/local';

const parts = /^([^:]{1,80}):\s+(\S.*)$/;

/** `Ana: ana@example.com` is filed under Ana. */
export function readNote(said: string): MemoryNote {
  const [, name = null, text = said] = parts.exec(said.trim()) ?? [];
  return { name, text: text.trim() };
}

export async function readMemory(): Promise<MemoryEntry[]> {
  return (await get<{ entries: MemoryEntry[] }>(path)).entries;
}

/** Does it, and shows what is remembered then, or why it was refused. @returns whether it was done */
async function store(act: () => Promise<unknown>): Promise<boolean> {
  let problem: string | null = null;
  try {
    await act();
  } catch (error) {
    problem = describeError(error);
  }
  const memory = await readMemory().catch(() => state.settings?.memory ?? []);
  change((s) => {
    if (s.settings !== null) s.settings = { ...s.settings, memory, problem };
  });
  return problem === null;
}

export function keepNote(said: string): Promise<boolean> {
  return store(() => post<MemoryEntry>(path, readNote(said)));
}

export function editNote(id: number, said: string): Promise<boolean> {
  return store(() => request('PATCH', `${path}/${id}`, { body: readNote(said) }));
}

export function forgetNote(id: number): Promise<boolean> {
  return store(() => request('DELETE', `${path}/${id}`));
}

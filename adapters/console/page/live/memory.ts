// The person's saved notes.
import type { MemoryEntry } from '#domain/people/memory.ts';
import { describeError, get, post, put, request } from './api.ts';
import { change, state } from './store.ts';

/** The page has no login; the server calls its person this. */
const path = '/api/memory/local';

export async function readMemory(): Promise<MemoryEntry[]> {
  return (await get<{ entries: MemoryEntry[] }>(path)).entries;
}

/** @returns whether it was done */
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

export function keepNote(text: string): Promise<boolean> {
  return store(() => post<MemoryEntry>(path, { text }));
}

export function editNote({ id, name }: MemoryEntry, text: string): Promise<boolean> {
  return store(() => put<MemoryEntry>(`${path}/${id}`, { name, text }));
}

export function forgetNote(id: number): Promise<boolean> {
  return store(() => request('DELETE', `${path}/${id}`));
}

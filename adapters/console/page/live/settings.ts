// The sliders of the person at this page: read when the dialog opens, stored with one press, so that a half-moved slider
// changes nothing.
import type { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { PolicyView } from '#domain/service.ts';
import { describeError, get, put } from './api.ts';
import { readMemory } from './memory.ts';
import { change, state } from './store.ts';

/** The page has no login; the server calls its person so. */
const user = 'local';
const path = `/api/policy/${user}`;

/** Opens the dialog with what the server says. */
export async function openSettings(): Promise<void> {
  try {
    const [{ policy, set }, memory] = await Promise.all([get<PolicyView>(path), readMemory()]);
    change((s) => {
      s.settings = { policy, set, memory, saving: false, problem: null };
    });
  } catch (error) {
    change((s) => {
      s.problem = describeError(error);
    });
  }
}

/** Closing it gives the focus back to what it was opened with. */
export function closeSettings(): void {
  document.querySelector<HTMLDialogElement>('dialog#settings')?.close();
  change((s) => {
    s.settings = null;
  });
}

/** Moves one slider in the dialog; nothing is stored yet. */
export function moveSlider(moved: Partial<InteractionPolicy>): void {
  change((s) => {
    if (s.settings === null) return;
    const { policy, set } = s.settings;
    s.settings = {
      ...s.settings,
      policy: { ...policy, ...moved },
      set: { ...set, ...moved },
      problem: null,
    };
  });
}

/** Stores what the dialog shows, or nothing at all: then everything is as it was in the beginning. */
async function store(set: PolicyOverride): Promise<void> {
  if (state.settings === null || state.settings.saving) return;
  change((s) => {
    if (s.settings !== null) s.settings = { ...s.settings, saving: true, problem: null };
  });
  try {
    await put<PolicyView>(path, set);
    closeSettings();
  } catch (error) {
    change((s) => {
      if (s.settings === null) return;
      s.settings = { ...s.settings, saving: false, problem: describeError(error) };
    });
  }
}

export function saveSettings(): Promise<void> {
  return store(state.settings?.set ?? {});
}

export function resetSettings(): Promise<void> {
  return store({});
}

// Opens dialogs whose code loads on first use.
import type { Plan } from '#domain/plan/plan.ts';
import { describeError } from './api.ts';
import { change } from './store.ts';

async function load(open: () => Promise<unknown>): Promise<void> {
  try {
    await open();
  } catch (error) {
    change((s) => {
      s.problem = describeError(error);
    });
  }
}

export const openBuilder = () => load(async () => (await import('./builder.ts')).openBuilder());

export const openRecurring = () =>
  load(async () => (await import('./recurring.ts')).openRecurring());

export const startSaving = (plan: Pick<Plan, 'id' | 'title'>) =>
  load(async () => (await import('./playbooks.ts')).startSaving(plan));

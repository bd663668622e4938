import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive } from '#db/embedded/postmaster.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { waitFor } from '../wait.ts';
import type { Client } from './http-client.ts';

export const draft = (name: string) => ({
  title: `Write ${name}`,
  steps: [draftStep('1', `Create ${name}`, 'workspace_write', { path: name, content: name })],
});

export async function runPlan(api: Client, name: string): Promise<Plan> {
  const plan = await api.propose(draft(name));
  expect((await api.approve(plan)).status).toBe(200);
  return await api.reach(plan.id, 'completed');
}

export async function readPostmaster(home: string): Promise<number> {
  const text = await readFile(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

/** A stopped server lives on for some milliseconds. */
export function untilGone(pid: number): Promise<true> {
  return waitFor('the database server to be gone', () => !isAlive(pid));
}

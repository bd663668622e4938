// Calls refused after the claim, and the audit of every call.
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { appendTool } from '../../fixtures/append-tool.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const first: StepDraft = draftStep('ask', 'Say when', 'human_task', { question: 'Go on?' });

function then(tool: string, operation: string, args: StepDraft['args'] = {}): StepDraft {
  return { id: 'then', description: 'Then do it', tool, operation, args, after: ['ask'] };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

// A question holds the plan while `change` edits its rows.
async function runChanged(
  instance: TestInstance,
  step: StepDraft,
  change: (id: string) => SQL,
): Promise<string> {
  const plan = await runPlan(instance, [first, step]);
  await waitFor('the question', async () => {
    const { counts } = await instance.service.getPlan(plan.id);
    return counts.waiting === 1;
  });
  await instance.db.query.execute(change(plan.id));
  await instance.service.resume(
    plan.id,
    { version: plan.version, steps: { ask: 'done' }, answer: 'yes' },
    ana,
  );
  await reach(instance, plan.id, 'completed', 'failed');
  return plan.id;
}

async function readThen(instance: TestInstance, id: string) {
  const { steps } = await instance.service.listSteps(id, { limit: 10 });
  return steps.find((step) => step.id === 'then');
}

async function readCalls(instance: TestInstance, id: string) {
  const audit = await instance.service.audit(id, { limit: 100 });
  return audit
    .filter(({ action }) => action.startsWith('call_'))
    .map(({ action, reason, data }) => ({ action, reason, operation: data?.operation }));
}

const onlyAsk = (id: string) =>
  sql`update countersign.plans set tools_required = '{human_task}' where id = ${id}`;

describe.each(['block', 'log'] as const)('in the mode %s', (guardMode) => {
  const database = useDatabase();
  let instance: TestInstance;
  let shellLog: string;

  beforeAll(async () => {
    shellLog = join(await mkdtemp(join(tmpdir(), 'countersign-guard-')), 'log');
    instance = await openTestInstance(database.url, {
      settings: {
        guardMode,
        executor: { lease_seconds: 5 },
        mcpServers: { bash: appendTool(shellLog) },
      },
    });
  });
  afterAll(async () => {
    await instance.close();
    await rm(dirname(shellLog), { recursive: true });
  });

  it('a call inside the scope is on record with who approved it', async () => {
    const plan = await runPlan(instance, {
      title: 'Write',
      steps: [
        draftStep('one', 'Write', 'workspace_write', { path: 'allowed.txt', content: 'yes' }),
      ],
    });
    await reach(instance, plan.id, 'completed');
    expect(await readCalls(instance, plan.id)).toEqual([
      {
        action: 'call_allowed',
        reason: 'workspace_write is in the scope of this plan, approved by ana.',
        operation: 'workspace_write',
      },
    ]);
  });

  it(`a call outside the scope is ${guardMode === 'block' ? 'refused' : 'made, and recorded'}`, async () => {
    const args = { path: `scope-${guardMode}.txt`, content: 'x' };
    const id = await runChanged(instance, then('workspace', 'write', args), onlyAsk);
    const reason =
      'Tool workspace_write not available in plan scope. Only [human_task] are available.';
    const blocked = guardMode === 'block';
    expect(await readThen(instance, id)).toMatchObject(
      blocked
        ? { status: 'failed', error: { code: 'out_of_scope', message: reason } }
        : { status: 'succeeded', error: null },
    );
    expect(await readCalls(instance, id)).toContainEqual({
      action: blocked ? 'call_refused' : 'call_would_be_refused',
      reason,
      operation: 'workspace_write',
    });
    expect(await exists(join(instance.workspace, args.path))).toBe(!blocked);
  });

  it('a shell outside the scope is refused', async () => {
    const id = await runChanged(instance, then('bash', 'append', { line: 'x' }), onlyAsk);
    expect(await readThen(instance, id)).toMatchObject({
      status: 'failed',
      error: { code: 'out_of_scope' },
    });
    expect((await readCalls(instance, id)).map(({ action }) => action)).toContain('call_refused');
    expect(await exists(shellLog)).toBe(false);
  });

  it('a guarded call of a plan that nobody approved is not made in silence', async () => {
    const args = { path: 'allowed.txt' };
    const id = await runChanged(
      instance,
      then('workspace', 'delete', args),
      (planId) => sql`update countersign.plans set decided_by = null where id = ${planId}`,
    );
    const [call] = (await readCalls(instance, id)).filter(
      ({ operation, action }) => operation === 'workspace_delete' && action !== 'call_allowed',
    );
    expect(call?.reason).toMatch(/Put it into a step of a plan/);
    expect(call?.action).toBe(guardMode === 'block' ? 'call_refused' : 'call_would_be_refused');
    expect((await readThen(instance, id))?.status).toBe(
      guardMode === 'block' ? 'failed' : 'succeeded',
    );
  });

  it('a step that is not what was approved is refused', async () => {
    const args = { path: `seal-${guardMode}.txt`, content: 'approved' };
    const id = await runChanged(
      instance,
      then('workspace', 'write', args),
      (planId) => sql`update countersign.plan_steps set args = args || '{"content":"changed"}'
        where plan_id = ${planId} and step_id = 'then'`,
    );
    expect(await readThen(instance, id)).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: {
        code: 'digest_mismatch',
        message: expect.stringMatching(/^This step is not what was approved: /),
      },
    });
    expect(await readCalls(instance, id)).toContainEqual({
      action: 'call_refused',
      reason: expect.stringMatching(/^This step is not what was approved: /),
      operation: 'workspace_write',
    });
    expect(await exists(join(instance.workspace, args.path))).toBe(false);
  });
});

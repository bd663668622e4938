// plan_wait: a long call that returns decisions, questions or outcome.
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import { onOneLine } from '#domain/words.ts';
import type { ToolOptions } from './options.ts';
import { Progress, progressOf, progressOfRun, writeProgress } from './progress.ts';
import { type Answer, answerWith, reads } from './results.ts';
import { StepFacts, stateOf, stepFactsOf, WaitInput } from './shapes.ts';
import { waitForPlan, waitForRun } from './wait.ts';

const maxShownSteps = 20;

const Waited = Progress.extend({
  timed_out: z.boolean().describe('nothing has happened yet: call again with the cursor'),
  waiting: z.array(StepFacts).describe('steps that wait for a person'),
  failed: z.array(StepFacts),
  changes: z
    .array(
      z.object({
        revision: z.int(),
        step: z.string().nullable(),
        kind: z.string(),
        status: z.string().nullable(),
        at: z.string(),
        detail: z.string().nullable(),
      }),
    )
    .describe('since the cursor, oldest first'),
});

/** @param left the client disconnected */
export function registerWaitTool(
  server: McpServer,
  answer: Answer,
  { service, principal, isStillLetIn }: FastifyRequest,
  { linkTo, closing, waiters }: ToolOptions,
  left: AbortSignal,
): void {
  server.registerTool(
    'plan_wait',
    {
      title: 'Wait for a plan',
      description:
        'Waits until a plan is decided, asks something or ends, or the time runs out; then call it again with the cursor. Nothing is missed between calls.',
      inputSchema: WaitInput,
      outputSchema: Waited,
      annotations: reads,
    },
    ({ plan: id, run: runId, cursor, timeout_seconds }, context) =>
      answer(async () => {
        const leave = waiters.enter(principal.account, timeout_seconds * 1000);
        const time = AbortSignal.timeout(timeout_seconds * 1000);
        const signal = AbortSignal.any([time, left, closing, context.mcpReq.signal]);
        const progress = reportProgress(context, signal);
        try {
          const found = await findPlan(id, runId, signal);
          await requireStillLetIn();
          if ('run' in found) {
            const state = progressOfRun(found.run, null);
            return answerWith(writeProgress(state), {
              ...state,
              timed_out: state.state === 'planning',
              waiting: [],
              failed: [],
              changes: [],
            });
          }
          const waited = await waitForPlan(
            service,
            found.plan,
            id !== undefined,
            cursor,
            signal,
            async (plan) => {
              await requireStillLetIn();
              await progress.tell(
                `${stateOf(plan)}: ${plan.counts.succeeded} of ${plan.total_steps} steps done`,
              );
            },
          );
          await requireStillLetIn();
          const { plan, timed_out, changes } = waited;
          const state = progressOf(plan, linkTo(plan.id));
          const [waiting, failed] = await Promise.all([
            readSteps(plan, plan.counts.waiting + plan.counts.unknown, ['waiting', 'unknown']),
            readSteps(plan, plan.counts.failed, ['failed']),
          ]);
          const questions = waiting.flatMap(({ question }) => question ?? []);
          const text = [
            ...(timed_out
              ? ['Nothing has happened yet; call plan_wait again with the cursor.']
              : []),
            writeProgress(state),
            ...questions.map((question) => `Asks: ${onOneLine(question, 300)}`),
          ].join('\n');
          return answerWith(text, {
            ...state,
            questions,
            timed_out,
            waiting,
            failed,
            changes: changes.map(({ revision, step_id, kind, status, at, detail }) => ({
              revision,
              step: step_id,
              kind,
              status: status ?? null,
              at,
              detail: detail ?? null,
            })),
          });
        } finally {
          progress.end();
          leave();
        }
      }),
  );

  /** A call may outlive its token. @throws `unauthorized` */
  async function requireStillLetIn(): Promise<void> {
    if (await isStillLetIn()) return;
    throw new CountersignError('unauthorized', 'Your token was revoked or has expired meanwhile.');
  }

  async function findPlan(
    id: string | undefined,
    runId: string | undefined,
    signal: AbortSignal,
  ): Promise<{ plan: string } | { run: RunView }> {
    if (id !== undefined) return { plan: id };
    if (runId === undefined)
      throw new CountersignError(
        'invalid_request',
        'Give "plan", or "run" where there is no plan yet.',
      );
    const run = await waitForRun(service, runId, signal);
    return run.plan_id === undefined ? { run } : { plan: run.plan_id };
  }

  async function readSteps(
    plan: Plan,
    count: number,
    status: ('waiting' | 'unknown' | 'failed')[],
  ) {
    if (count === 0) return [];
    const { steps } = await service.listSteps(plan.id, { status, limit: maxShownSteps });
    return steps.map(stepFactsOf);
  }
}

const signEverySeconds = 10;

function reportProgress({ mcpReq }: ServerContext, signal: AbortSignal) {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let last = 'Waiting for people';
  const report = async (message: string): Promise<void> => {
    last = message;
    if (progressToken === undefined || signal.aborted) return;
    progress += 1;
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    });
  };
  const timer = setInterval(() => {
    // The agent left; its signal ends the call.
    report(last).catch(() => undefined);
  }, signEverySeconds * 1000);
  return { tell: report, end: () => clearInterval(timer) };
}

// The tools of a stage, bound to its session (B3). A call is prepared (offered? valid?), executed and finalised (state, trace).
// Failures are results.
import { isDatabaseAway } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import type { Activity, ReportActivity } from '#domain/planning/activity.ts';
import { payingRun } from '#domain/planning/part.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { JsonObject, makeStorableText } from '#domain/text.ts';
import { traceCall } from '#domain/trace-call.ts';
import type { CallAnswer, StageTools } from '../reasoner.ts';
import type { ToolContext, ToolOutcome } from '../tool.ts';
import { fail, type ToolResult } from '../tool-result.ts';
import { readCall, readTool } from '../tools/catalogue-tools.ts';
import type { StageTool } from '../tools/stage-tool.ts';
import { traceStep } from '../trace-step.ts';
import type { Session } from './session.ts';

/** Looks for a remembered result of a call, or makes and stores it. */
export type Remember = (
  tool: { name: string; revision: number },
  args: JsonObject,
  make: () => Promise<ToolOutcome>,
) => Promise<{ outcome: ToolOutcome; remembered: boolean }>;

export type StageToolsParts = {
  stage: Stage;
  session: Session;
  tools: StageTool[];
  /** All a tool may look at, but for what is of the call. */
  toolContext: Omit<ToolContext, 'state' | 'signal' | 'report'>;
  clock: Clock;
  remember: Remember;
  /** Told what begins, and how far the draft is. */
  report: ReportActivity;
};

/** Why the call cannot be made; null: it can. */
function refuse(
  { stage, session }: Pick<StageToolsParts, 'stage' | 'session'>,
  tools: StageTool[],
  tool: StageTool | undefined,
  name: string,
  args: object,
): ToolResult | null {
  if (tool === undefined) {
    const names = tools
      .filter(({ isOffered }) => isOffered === undefined)
      .map((other) => other.name);
    return fail(
      `There is no tool or read operation ${name.slice(0, 100)}. There are the tools ${names.join(', ')}; find operations with search_operations.`,
    );
  }
  if (!tool.stages.includes(stage)) return fail(`${tool.name} is not for this stage (${stage}).`);
  const lacking = session.lacking(tool.prerequisites);
  if (lacking.length > 0) {
    const needs = lacking.join(' and ').replaceAll('_', ' ');
    return fail(
      lacking.includes('draft')
        ? 'There is no draft yet. Add steps with add_steps first.'
        : `${tool.name} needs ${needs} first.`,
    );
  }
  const problems = tool.check(args);
  return problems.length === 0 ? null : fail(...problems);
}

/** Whether steps are likely to need partitions, pools or notes: each word of them costs on every call. */
function isWide(runId: string, { modes, tools }: Pick<ToolContext, 'modes' | 'tools'>): boolean {
  const { pools = {}, capabilities = [] } = tools.capacity ?? {};
  const isPart = payingRun({ runId, turn: 0 }).runId !== runId;
  const extensive =
    modes.planning_mode === 'extensive' || modes.plan_reasoning_mode === 'extensive';
  return isPart || extensive || Object.keys(pools).length > 0 || capabilities.length > 0;
}

export function createStageTools(parts: StageToolsParts): StageTools {
  const { stage, session, tools, toolContext, clock, remember, report } = parts;
  const here = tools.filter((tool) => tool.stages.includes(stage));
  const reads = (name: string) => tools.find((tool) => tool.name === name)?.reads ?? false;
  const ready = () => here.filter((tool) => session.lacking(tool.prerequisites).length === 0);

  /** A draft that lacks what the model meant to put in is not submitted unseen. */
  let wasEditRefused = false;

  async function execute(
    tool: StageTool,
    args: object,
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; remembered: boolean }> {
    const { state } = session;
    const run = () => tool.run(args, { ...toolContext, state, signal, report });
    try {
      const { revision } = tool;
      const json = revision === null ? null : JsonObject.safeParse(args);
      if (revision === null || !json?.success) return { outcome: await run(), remembered: false };
      return await remember({ name: tool.name, revision }, json.data, run);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return { outcome: { result: fail(errorMessage(error)) }, remembered: false };
    }
  }

  function finalise(
    tool: StageTool,
    outcome: ToolOutcome,
    startedAt: Date,
    remembered: boolean,
  ): CallAnswer {
    const { result, changes, read, violations, adaptations, self, heuristics, ends } = outcome;
    if (changes !== undefined) session.change(changes);
    if (tool.produces.includes('draft')) wasEditRefused = !result.ok;
    // What a tool calls produced is in the session only if the call went well, or kept what was sound of it.
    if (result.ok || changes?.outline !== undefined) session.produce(tool.produces);
    if (read !== undefined) session.addRead(read);
    if (self !== undefined) session.weigh({ self });
    if (heuristics !== undefined) session.weigh({ heuristics });
    session.note({
      ...traceStep({
        stage,
        tool: tool.name,
        startedAt,
        endedAt: clock.now(),
        ok: result.ok,
        confidence: result.confidence,
        explanation: result.explanations.join(' ') || (result.ok ? 'done' : 'failed'),
      }),
      ...(violations === undefined || violations.length === 0 ? {} : { violations }),
      ...(adaptations === undefined || adaptations.length === 0 ? {} : { adaptations }),
      ...(remembered ? { remembered } : {}),
    });
    return ends === undefined ? { result } : { result, ends };
  }

  async function call(called: string, given: object, signal: AbortSignal): Promise<CallAnswer> {
    // A read is a call of the operation that it names.
    const read = called === readTool ? readCall(JsonObject.parse(given)) : null;
    const isRead = read !== null && reads(read.name);
    const { name, args } = isRead ? read : { name: called, args: given };
    const tool = here.find((one) => one.name === name) ?? tools.find((one) => one.name === name);
    const startedAt = clock.now();
    const unseen = name === 'submit_plan' && wasEditRefused;
    if (unseen) wasEditRefused = false;
    const refused = unseen
      ? fail('The last edit failed or was only partly applied. Fix what it reported, then submit.')
      : refuse(parts, ready(), tool, name, args);
    if (refused !== null || tool === undefined) {
      const result = refused ?? fail('There is no such tool.');
      session.note(
        traceStep({
          stage,
          tool: name.slice(0, 200),
          startedAt,
          endedAt: clock.now(),
          ok: false,
          confidence: 0,
          explanation: result.explanations.join(' '),
        }),
      );
      return { result };
    }
    if (tool.reads) report(describeReading(tool.name, args));
    const { outcome, remembered } = await traceCall('planner', tool.name, args, () =>
      execute(tool, args, signal),
    );
    const answer = finalise(tool, outcome, startedAt, remembered);
    if (outcome.changes?.outline !== undefined) report(describeDraft(session.state, 0));
    return answer;
  }

  return {
    stage,
    offered: () =>
      ready()
        .filter((tool) => tool.isOffered?.(session.state, toolContext.modes) ?? true)
        .map(({ name, description, parameters, wide, reads }) => ({
          name,
          description,
          parameters: (isWide(session.state.run_id, toolContext) ? wide : undefined) ?? parameters,
          reads,
        })),
    reads,
    waits: (name) => tools.find((tool) => tool.name === name)?.waits === true,
    quotes: (name) => reads(name) || tools.find((tool) => tool.name === name)?.quotes === true,
    draft: () => session.state.outline,
    draftedSteps: () =>
      session.state.outline?.nodes.reduce((sum, { steps }) => sum + steps.length, 0) ?? 0,
    call,
    callOwn: call,
    say(result, reason) {
      session.change({ result, reason });
    },
    ask(result, pause, reason) {
      session.change({ result, pause, reason });
    },
    explain: (reason) => session.change({ reason }),
    pay: (calls, usd) => session.pay(calls, usd),
    note: (entry) => session.note(entry),
    reportDraft: (coming) => report(describeDraft(session.state, coming)),
  };
}

// What a planner tells people while it works: facts about the call that begins and about the draft as it stands.

/** Characters that are kept of a path, an address or a query. */
const whatAtMost = 200;

/** The first text among the arguments, or first in a list there, on one line; it is the model's, so nothing else of it is trusted. */
function firstText(args: Record<string, unknown>): string | null {
  const text = Object.values(args)
    .map((value): unknown => (Array.isArray(value) ? value[0] : value))
    .find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text !== 'string') return null;
  return makeStorableText(text.slice(0, whatAtMost).replace(/\s+/g, ' ').trim());
}

/** A call of a tool that only reads. */
function describeReading(tool: string, args: object): Activity {
  return { kind: 'reading', operation: tool.slice(0, whatAtMost), what: firstText({ ...args }) };
}

/**
 * What a session is at while its model thinks and writes: the draft, once there is one.
 * @param coming steps that the model has written and not yet added
 */
function describeDraft({ outline }: Pick<PlanningState, 'outline'>, coming: number): Activity {
  if (outline === null && coming === 0) return { kind: 'thinking' };
  const drafted = outline?.nodes.reduce((sum, node) => sum + node.steps.length, 0) ?? 0;
  return { kind: 'drafting', steps: drafted + coming };
}

// A stage's tools, bound to its session (B3). Failures are results.
import { isDatabaseAway } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import type { Activity, ReportActivity } from '#domain/planning/activity.ts';
import { isPartRun } from '#domain/planning/part.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { traceCall } from '#domain/telemetry.ts';
import { type JsonObject, makeStorableText } from '#domain/text.ts';
import { openStages } from '../define-tool.ts';
import { writeJoined } from '../reads/joined-messages.ts';
import type { CallAnswer, StageTools } from '../reasoner.ts';
import { fail, type Tool, type ToolContext, type ToolOutcome, type ToolResult } from '../tool.ts';
import { readCall, readTool } from '../tools/catalogue-tools.ts';
import { countSteps } from '../tools/draft-tool.ts';
import { planCall, planTool } from '../tools/existing-plans.ts';
import { traceStep } from '../trace-step.ts';
import type { Session } from './session.ts';

/** Returns a remembered result, or makes it. */
export type Remember = (
  tool: { name: string; revision: number },
  args: JsonObject,
  make: () => Promise<ToolOutcome>,
) => Promise<{ outcome: ToolOutcome; remembered: boolean }>;

export type StageToolsParts = {
  stage: Stage;
  session: Session;
  tools: Tool[];
  toolContext: Omit<ToolContext, 'state' | 'signal' | 'report'>;
  clock: Clock;
  remember: Remember;
  /** Gets the starting call and the draft's progress. */
  report: ReportActivity;
};

export type SessionTools = StageTools & {
  /** `input` comes from this program only, such as a person's decision. */
  execute<Input>(tool: Tool<Input>, input: Input, signal: AbortSignal): Promise<CallAnswer>;
};

/** For planners of parts. */
const partTools = new Set([
  'read',
  'search_operations',
  'add_steps',
  'edit_steps',
  'for_each',
  'submit_plan',
]);

/** Likely to need partitions, pools or notes, which cost on every call. */
function isWide(runId: string, { modes, tools }: Pick<ToolContext, 'modes' | 'tools'>): boolean {
  const { pools = {}, capabilities = [] } = tools.capacity ?? {};
  const extensive =
    modes.planning_mode === 'extensive' || modes.plan_reasoning_mode === 'extensive';
  return isPartRun(runId) || extensive || Object.keys(pools).length > 0 || capabilities.length > 0;
}

export function createStageTools(parts: StageToolsParts): SessionTools {
  const { stage, session, tools, toolContext, clock, remember, report } = parts;
  const { outline } = session.state;
  const { modes } = toolContext;
  const find = (name: string) => tools.find((tool) => tool.name === name);
  const isPart = isPartRun(session.state.run_id);
  /** Constant in open stages, for servers' prompt caches. */
  const isReady = ({ name, stages, prerequisites }: Tool) =>
    openStages.includes(stage)
      ? stages.some((one) => openStages.includes(one)) && (!isPart || partTools.has(name))
      : stages.includes(stage) && session.lacking(prerequisites).length === 0;
  const ready = () => tools.filter(isReady);

  /** Such a draft lacks something and is not submitted unseen. */
  let wasEditRefused = false;
  /** Even if a later edit of the reply succeeded. */
  let hasUnseenFailure = false;

  /** @returns the call, or why it is impossible */
  function prepare(
    name: string,
    args: JsonObject,
  ): { tool: Tool; input: unknown } | { problems: string[] } {
    const refuse = (why: string) => ({ problems: [why] });
    const tool = find(name);
    if (tool === undefined) {
      const shown = ready().filter(({ hidden, isOffered }) => !hidden && isOffered === undefined);
      return refuse(
        `There is no tool or read operation ${name.slice(0, 100)}. There are the tools ${shown.map((one) => one.name).join(', ')}; find operations with search_operations.`,
      );
    }
    if (name === 'submit_plan' && (wasEditRefused || hasUnseenFailure)) {
      wasEditRefused = false;
      return refuse(
        'The last edit failed or was only partly applied. Fix what it reported, then submit.',
      );
    }
    if (!tool.stages.includes(stage)) return refuse(`${name} is not for this stage (${stage}).`);
    const lacking = session.lacking(tool.prerequisites);
    if (lacking.includes('draft'))
      return refuse('There is no draft yet. Add steps with add_steps first.');
    if (lacking.length > 0)
      return refuse(`${name} needs ${lacking.join(' and ').replaceAll('_', ' ')} first.`);
    const prepared = tool.prepare(args);
    return 'problems' in prepared ? prepared : { tool, input: prepared.input };
  }

  async function execute<Input>(
    tool: Tool<Input>,
    input: Input,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; remembered: boolean }> {
    const { state } = session;
    const added = state.joined.flatMap(({ by, text }) => (by === null ? text : []));
    const ownMessages = [...toolContext.ownMessages, ...added];
    const run = () => tool.execute(input, { ...toolContext, ownMessages, state, signal, report });
    const { name, revision } = tool;
    try {
      if (revision === null) return { outcome: await run(), remembered: false };
      return await remember({ name, revision }, args, run);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return { outcome: { result: fail(errorMessage(error)) }, remembered: false };
    }
  }

  function note(
    tool: string,
    startedAt: Date,
    { ok, confidence, explanations }: ToolResult,
    more: Partial<TraceEntry> = {},
  ): void {
    const explanation = explanations.join(' ') || (ok ? 'done' : 'failed');
    const endedAt = clock.now();
    session.note({
      ...traceStep({ stage, tool, startedAt, endedAt, ok, confidence, explanation }),
      ...more,
    });
  }

  function finalise(
    tool: Tool,
    outcome: ToolOutcome,
    startedAt: Date,
    remembered: boolean,
  ): CallAnswer {
    const { result, changes, read, found, violations = [], adaptations = [], ends } = outcome;
    const { self, heuristics } = outcome;
    if (changes !== undefined) session.change(changes);
    if (tool.produces.includes('draft')) {
      wasEditRefused = !result.ok;
      hasUnseenFailure ||= !result.ok;
    }
    // Only on success or a valid part.
    if (result.ok || changes?.outline !== undefined) session.produce(tool.produces);
    if (read !== undefined) session.addRead(read);
    if (found !== undefined) session.addFound(found);
    if (self !== undefined) session.weigh({ self });
    if (heuristics !== undefined) session.weigh({ heuristics });
    note(tool.name, startedAt, result, {
      ...(violations.length === 0 ? {} : { violations }),
      ...(adaptations.length === 0 ? {} : { adaptations }),
      ...(remembered ? { remembered } : {}),
    });
    if (changes?.outline !== undefined) report(describeDraft(session.state, 0));
    return ends === undefined ? { result } : { result, ends };
  }

  async function perform<Input>(
    tool: Tool<Input>,
    input: Input,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<CallAnswer> {
    const startedAt = clock.now();
    if (tool.reads) report(describeReading(tool.name, args));
    const { outcome, remembered } = await traceCall('planner', tool.name, args, () =>
      execute(tool, input, args, signal),
    );
    return finalise(tool, outcome, startedAt, remembered);
  }

  /** Names what dispatchers call. */
  function unwrap(called: string, given: JsonObject): { name: string; args: JsonObject } {
    const plain = { name: called, args: given };
    const read = called === readTool ? readCall(given) : { problems: [] };
    if ('input' in read && find(read.input.name)?.reads === true) return read.input;
    const planned = called === planTool ? planCall(given) : { problems: [] };
    return 'input' in planned ? planned.input : plain;
  }

  return {
    stage,
    offered() {
      hasUnseenFailure = false;
      return ready()
        .filter(
          ({ hidden, isOffered }) =>
            !hidden && (isOffered?.({ ...session.state, outline }, modes) ?? true),
        )
        .map(({ name, description, parameters, wide }) => ({
          name,
          description,
          parameters: (isWide(session.state.run_id, toolContext) ? wide : undefined) ?? parameters,
        }));
    },
    find,
    draft: () => session.state.outline,
    draftedSteps: () => countSteps(session.state.outline),
    async call(called, given, signal) {
      const { name, args } = unwrap(called, given);
      const startedAt = clock.now();
      const prepared = prepare(name, args);
      if ('input' in prepared) return perform(prepared.tool, prepared.input, args, signal);
      const result = fail(...prepared.problems);
      note(name.slice(0, 200), startedAt, result);
      return { result };
    },
    execute: (tool, input, signal) => perform(tool, input, {}, signal),
    say(result, reason) {
      session.change({ result, reason });
    },
    ask(result, pause, reason) {
      session.change({ result, pause, reason });
    },
    joined: () => session.state.joined,
    async readJoined() {
      const { run_id: id, turn, joined } = session.state;
      const latest = joined.at(-1)?.message ?? 0;
      const more = await toolContext.tools.readJoined?.({ id, turn }, latest);
      if (more === undefined || more.length === 0) return [];
      session.change({ joined: [...joined, ...more] });
      return more.map(writeJoined);
    },
    explain: (reason) => session.change({ reason }),
    pay: (calls, usd) => session.pay(calls, usd),
    note: (entry) => session.note(entry),
    reportDraft: (coming) => report(describeDraft(session.state, coming)),
  };
}

const maxWhat = 200;

/** One line; the rest of the model's arguments is not trusted. */
function firstText(args: Record<string, unknown>): string | null {
  const text = Object.values(args)
    .map((value): unknown => (Array.isArray(value) ? value[0] : value))
    .find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text !== 'string') return null;
  return makeStorableText(text.slice(0, maxWhat).replace(/\s+/g, ' ').trim());
}

function describeReading(tool: string, args: JsonObject): Activity {
  return { kind: 'reading', operation: tool.slice(0, maxWhat), what: firstText(args) };
}

/** @param coming steps written but not added */
function describeDraft({ outline }: Pick<PlanningState, 'outline'>, coming: number): Activity {
  if (outline === null && coming === 0) return { kind: 'thinking' };
  return { kind: 'drafting', steps: countSteps(outline) + coming };
}

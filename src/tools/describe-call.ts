// Describes a call's effect (A17), showing every argument.
import { z } from 'zod';
import { referencesOf, renameReferences } from '#domain/plan/arguments.ts';
import type { CallClass, CallDescription, CallPart, ShownStep } from '#domain/plan/call.ts';
import { type AskingStep, labelConditions } from '#domain/plan/condition-labels.ts';
import type { Step } from '#domain/plan/plan.ts';
import { SeenState } from '#domain/plan/seen.ts';
import { type JsonObject, line } from '#domain/text.ts';
import {
  type CallFacts,
  type Catalogue,
  type Operation,
  type OperationSpec,
  operationName,
} from '#domain/tool.ts';
import {
  Arguments,
  type Describe,
  describersOfBuiltins,
  type Effect,
  toPart,
  toPlainPart,
} from './describe-builtins.ts';

type Described =
  | (Pick<OperationSpec, 'source' | 'effect' | 'destructive' | 'trusted'> &
      Pick<Operation, 'describe'>)
  | undefined;

/** Annotations raise a tool's class; only a trusted server's lower it. */
function classOf(spec: Described): CallClass {
  if (spec === undefined || (spec.source === 'mcp' && spec.trusted !== true)) return 'outside';
  return spec.effect === 'read' ? 'reads' : 'changes';
}

const Facts = z.object({
  verb: line(200),
  target: z.string().exactOptional(),
  payload: z.array(z.string()).exactOptional(),
  destructive: z.boolean().exactOptional(),
  outside: z.boolean().exactOptional(),
});

/** Null if a tool's own are unusable: then every argument is listed. */
function readFacts(spec: NonNullable<Described>, args: JsonObject): CallFacts | null {
  try {
    // A copy: it must not change the call.
    return Facts.parse(spec.describe?.(structuredClone(args)));
  } catch {
    return null;
  }
}

/** Changes count as external, since that can't be known here. */
function describeFileCall(name: string, spec: NonNullable<Described>, args: JsonObject): Describe {
  const facts = spec.describe === undefined ? null : readFacts(spec, args);
  const outside = facts?.outside ?? spec.effect !== 'read';
  const common = {
    class: outside ? ('outside' as const) : classOf(spec),
    destructive: spec.destructive || (facts?.destructive ?? false),
  };
  if (facts === null)
    return () => ({ ...common, headline: ['Calls', { text: name, later: false }] });
  const { verb, target, payload = [] } = facts;
  return (left) => ({
    ...common,
    headline: target === undefined ? [verb] : [verb, left.value(target, `(no ${target} given)`)],
    parts: payload.flatMap((label) => left.payload(label)),
  });
}

function describerOf(name: string, spec: Described, args: JsonObject): Describe | undefined {
  if (spec?.source === 'file') return describeFileCall(name, spec, args);
  if (spec?.source === 'mcp' || !Object.hasOwn(describersOfBuiltins, name)) return undefined;
  return describersOfBuiltins[name];
}

function withShown(call: CallDescription, name: string, seen: SeenState): CallDescription {
  const target = { ...seen, name, fails: seen.state === 'missing' };
  if (seen.text === undefined) return { ...call, target };
  const label = 'current content';
  const aid: CallPart = { label, text: seen.text, later: false, payload: false, aid: true };
  return { ...call, target, parts: [aid, ...call.parts] };
}

function withTarget(
  call: CallDescription,
  name: string,
  args: JsonObject,
  seen: SeenState,
): CallDescription {
  const exists = seen.state === 'exists';
  const moves = name === 'workspace_move' || name === 'workspace_copy';
  const named = moves && exists ? args.to : (args.path ?? args.from);
  const keeps = (moves && args.overwrite !== true) || args.overwrite === false;
  const target = {
    ...seen,
    name: typeof named === 'string' ? named : '',
    fails: seen.state === 'missing' || (exists && keeps),
  };
  const [, ...plain] = call.headline;
  const parts =
    seen.state === 'new'
      ? call.parts.filter(({ label, text }) => label !== 'overwrite' || text !== 'yes')
      : call.parts;
  const rest =
    seen.leads_to === undefined
      ? plain
      : [...plain, ', a link to', { text: seen.leads_to, later: false }];
  const [first = ''] = call.headline;
  if (name === 'workspace_edit')
    return {
      ...call,
      parts,
      target,
      headline: [seen.state === 'new' ? 'Creates' : first, ...rest],
    };
  const destructive = moves ? exists && !keeps : call.destructive;
  if (name !== 'workspace_write')
    return { ...call, parts, target, destructive, headline: [first, ...rest] };
  const verb = exists ? (keeps ? 'Writes' : 'Overwrites') : 'Creates';
  return { ...call, parts, target, destructive: exists && !keeps, headline: [verb, ...rest] };
}

const uncheckedWords = '(not checked: may overwrite)';

/** @param seen at proposal; null if unreadable, undefined if elsewhere @param spec undefined if gone: assumes the worst */
export function describeCall(
  name: string,
  spec: Described,
  args: JsonObject,
  seen?: SeenState | null,
): CallDescription {
  const known = describerOf(name, spec, args);
  const isBuiltin = known !== undefined && spec?.source !== 'file';
  const left = new Arguments(args, isBuiltin ? toPlainPart : toPart);
  const effect: Effect =
    known === undefined
      ? {
          class: classOf(spec),
          headline: ['Calls', { text: name, later: false }],
          destructive: spec?.destructive ?? true,
        }
      : known(left);
  const call = {
    class: effect.class,
    destructive: effect.destructive ?? false,
    headline: effect.headline,
    parts: [...(effect.parts ?? []), ...left.rest()],
  };
  if (seen === undefined) return call;
  if (seen === null)
    return effect.replaces === true
      ? { ...call, destructive: true, headline: [...call.headline, uncheckedWords] }
      : call;
  if (known === undefined) return withShown(call, '', seen);
  if (name !== 'http_request') return withTarget(call, name, args, seen);
  return withShown(call, typeof args.url === 'string' ? args.url : '', seen);
}

function argumentsOf({ status, args, final_args: final }: Step): JsonObject {
  const begun = status !== 'pending' && status !== 'ready';
  return begun && final !== null ? final : args;
}

/** Undefined if the call was made without looking. */
const seenOf = ({ seen, status }: Step): SeenState | null | undefined =>
  seen ?? (status === 'succeeded' ? undefined : null);

const Looked = z.object({ looked: SeenState });

function seenInOutput({ output }: Step): SeenState | undefined {
  const read = Looked.safeParse(output);
  return read.success ? read.data.looked : undefined;
}

export function sourcesOf(steps: Step[]): string[] {
  return steps.flatMap((step) => referencesOf(argumentsOf(step)).map(({ $from }) => $from));
}

export function describeSteps(
  catalogue: Pick<Catalogue, 'get'>,
  steps: Step[],
  labels: ReadonlyMap<string, string> = new Map(),
  asking: AskingStep[] = [],
): ShownStep[] {
  const asked = [...steps, ...asking];
  const own = new Map(steps.map(({ id, label }) => [id, label]));
  const nameStep = (id: string) => own.get(id) ?? labels.get(id) ?? id;
  return steps.map((step) => {
    const name = operationName(step.tool, step.operation);
    const seen = step.final_args === null ? seenOf(step) : seenInOutput(step);
    const args = renameReferences(argumentsOf(step), nameStep);
    const when = labelConditions(step.when, asked);
    return { ...step, when, call: describeCall(name, catalogue.get(name), args, seen) };
  });
}

const comparedWithinMs = 1000;

export async function compareSteps(
  catalogue: Pick<Catalogue, 'get'>,
  steps: Step[],
  labels: ReadonlyMap<string, string>,
  asking: AskingStep[],
): Promise<ShownStep[]> {
  const signal = AbortSignal.timeout(comparedWithinMs);
  const until = performance.now() + comparedWithinMs;
  const compare = async (step: ShownStep): Promise<ShownStep> => {
    const operation = catalogue.get(operationName(step.tool, step.operation));
    if (step.seen?.state !== 'exists' || step.attempt > 0 || operation?.compare === undefined)
      return step;
    const text = performance.now() > until ? null : await operation.compare(step.args, signal);
    if (text === null || text === '') return step;
    const aid: CallPart = {
      label: 'difference from the current content',
      text,
      later: false,
      payload: false,
      aid: true,
    };
    return { ...step, call: { ...step.call, parts: [aid, ...step.call.parts] } };
  };
  const compared: ShownStep[] = [];
  // By the clock: no timer fires during a comparison.
  for (const step of describeSteps(catalogue, steps, labels, asking))
    compared.push(await compare(step));
  return compared;
}

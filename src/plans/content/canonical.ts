// The digest a person countersigns: SHA-256 over the plan as canonical JSON (RFC 8785), steps streamed, volatile fields left out.
import { createHash, hash } from 'node:crypto';
import type { ApproverPolicy, PlanContext, Risk, Series, StepContent } from '#domain/plan/plan.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { canonical, canonicalObject, canonicalString } from './canonical-text.ts';

/** What a version says besides its steps. */
export type PlanHeader = {
  id: string;
  version: number;
  title: string;
  summary: string | null;
  context: PlanContext;
  risks: Risk[];
  approver_policy: ApproverPolicy;
  executor_model: string | null;
  tools_required: string[];
  /** Only where each step asks: what is not said is no key, so that it changes no digest. */
  step_approval?: 'each';
  /** Only where something comes again. */
  series?: Series[];
  /** What each operation was when the version was shown, by name; plans stored before there were any have none. */
  operation_digests?: Record<string, string>;
};

/** The keys of a header that most plans do not have. */
export function termsOf(
  confirmEach: boolean,
  series: Series[],
): Pick<PlanHeader, 'step_approval' | 'series'> {
  return {
    ...(confirmEach ? { step_approval: 'each' } : {}),
    ...(series.length > 0 ? { series } : {}),
  };
}

/** What the operations were, where that is known. */
export function withDigests(
  digests: Record<string, string>,
): Pick<PlanHeader, 'operation_digests'> {
  return Object.keys(digests).length > 0 ? { operation_digests: digests } : {};
}

/** The keys of a step that most steps do not have. */
type Optional = 'when' | 'ask_before' | 'seen';

/** A step as versions keep it: what is not said of it is no key, so that it changes no digest. */
export type SaidContent = Omit<StepContent, Optional> & Partial<Pick<StepContent, Optional>>;

function optionalOf({ when, ask_before, seen }: StepContent): Partial<Pick<StepContent, Optional>> {
  return {
    ...(when.length > 0 ? { when } : {}),
    ...(ask_before ? { ask_before } : {}),
    ...(seen === null ? {} : { seen }),
  };
}

/** The proposed content of a step that may hold more. */
export function contentOfStep(step: StepContent): SaidContent {
  return {
    id: step.id,
    description: step.description,
    tool: step.tool,
    operation: step.operation,
    target: step.target,
    args: step.args,
    after: step.after,
    priority: step.priority,
    partition: step.partition,
    tags: step.tags,
    resources: step.resources,
    capabilities: step.capabilities,
    notes: step.notes,
    duration_minutes: step.duration_minutes,
    not_before: step.not_before,
    ...optionalOf(step),
  };
}

function canonicalText(text: string | null): string {
  return text === null ? 'null' : canonicalString(text);
}

function canonicalList(texts: string[]): string {
  return texts.length === 0 ? '[]' : `[${texts.map(canonicalString).join(',')}]`;
}

function canonicalDependency({ id, lag_minutes, type }: StepContent['after'][number]): string {
  return `{"id":${canonicalString(id)},"lag_minutes":${canonical(lag_minutes)},"type":"${type}"}`;
}

/**
 * The content of a step as canonical JSON. Put together by hand in the order of its keys, since plans of a hundred
 * thousand steps are digested whole, when they are proposed and again before they start.
 */
export function canonicalStep(step: StepContent): string {
  return [
    `{"after":[${step.after.map(canonicalDependency).join(',')}]`,
    `"args":${canonicalObject(step.args)}${step.ask_before ? ',"ask_before":true' : ''}`,
    `"capabilities":${canonicalList(step.capabilities)}`,
    `"description":${canonicalString(step.description)}`,
    `"duration_minutes":${canonical(step.duration_minutes)}`,
    `"id":${canonicalString(step.id)}`,
    `"not_before":${canonicalText(step.not_before)}`,
    `"notes":${canonical(step.notes)}`,
    `"operation":${canonicalString(step.operation)}`,
    `"partition":${canonicalText(step.partition)}`,
    `"priority":${canonical(step.priority)}`,
    `"resources":${canonicalObject(step.resources)}`,
    ...(step.seen === null ? [] : [`"seen":${canonical(step.seen)}`]),
    `"tags":${canonicalList(step.tags)}`,
    `"target":${canonicalText(step.target)}`,
    `"tool":${canonicalString(step.tool)}${step.when.length > 0 ? `,"when":${canonical(step.when)}` : ''}}`,
  ].join(',');
}

/** Characters that are hashed at once; what else waits has its turn in between. */
const hashedAtOnce = 65_536;

/** SHA-256 in hex over `value` as canonical JSON. */
export function digestValue(value: object): string {
  return hash('sha256', canonical(value), 'hex');
}

/**
 * SHA-256 in hex over `{ …header, steps: [...] }` as canonical JSON. Holds a few steps at a time.
 * `steps` come in the order of their positions, each with `after` sorted by predecessor's position, then type; what
 * they hold besides their content is left out.
 */
export async function digestPlan(
  header: PlanHeader,
  steps: Iterable<StepContent> | AsyncIterable<StepContent>,
): Promise<string> {
  const digest = createHash('sha256');
  // RFC 8785 sorts keys by UTF-16 code units; "steps" has its place among the header's.
  const keys = [...Object.keys(header), 'steps'].sort();
  const entries: Record<string, unknown> = header;
  for (const [index, key] of keys.entries()) {
    digest.update(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
    if (key !== 'steps') {
      digest.update(canonical(entries[key]));
      continue;
    }
    let text = '';
    let separator = '[';
    for await (const step of steps) {
      text += separator + canonicalStep(step);
      separator = ',';
      if (text.length < hashedAtOnce) continue;
      digest.update(text);
      text = '';
      if (isSliceOver()) await nextTurn();
    }
    digest.update(`${text}${separator === '[' ? '[]' : ']'}`);
  }
  digest.update('}');
  return digest.digest('hex');
}

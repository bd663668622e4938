// The digest a person countersigns: SHA-256 over the plan as canonical JSON (RFC 8785), steps streamed, volatile fields left out.
import { createHash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ApproverPolicy, PlanContext, Risk, Series, StepContent } from '#contracts/plan.ts';

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

/** The proposed content of a step that may hold more. */
export function contentOfStep(step: StepContent): StepContent {
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
  };
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical: the value has no JSON form');
  return text;
}

/** SHA-256 in hex over `value` as canonical JSON. */
export function digestValue(value: object): string {
  return hash('sha256', canonical(value), 'hex');
}

/**
 * SHA-256 in hex over `{ …header, steps: [...] }` as canonical JSON. Holds one step at a time.
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
    let separator = '[';
    for await (const step of steps) {
      digest.update(separator + canonical(contentOfStep(step)));
      separator = ',';
    }
    digest.update(separator === '[' ? '[]' : ']');
  }
  digest.update('}');
  return digest.digest('hex');
}

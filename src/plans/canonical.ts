// The digest a person countersigns: SHA-256 over the plan as canonical JSON (RFC 8785), steps streamed, volatile fields left out.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ApproverPolicy, Dependency, PlanContext, Risk } from '#contracts/plan.ts';
import type { Json, JsonObject } from '#contracts/text.ts';

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
};

/** What a step says: everything a person approves, nothing that execution changes. */
export type StepContent = {
  id: string;
  description: string;
  tool: string;
  operation: string;
  target: string | null;
  args: JsonObject;
  /** Sorted by predecessor's position, then type. */
  after: Dependency[];
  priority: number;
  partition: string | null;
  tags: string[];
  resources: Record<string, number>;
  capabilities: string[];
  notes: Json;
  duration_minutes: number | null;
  /** ISO 8601 in UTC with milliseconds. */
  not_before: string | null;
};

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical: the value has no JSON form');
  return text;
}

/**
 * SHA-256 in hex over `{ …header, steps: [...] }` as canonical JSON. Holds one step at a time.
 * `steps` come in the order of their positions.
 */
export async function digestPlan(
  header: PlanHeader,
  steps: Iterable<StepContent> | AsyncIterable<StepContent>,
): Promise<string> {
  const hash = createHash('sha256');
  // RFC 8785 sorts keys by UTF-16 code units; "steps" has its place among the header's.
  const keys = [...Object.keys(header), 'steps'].sort();
  const entries: Record<string, unknown> = header;
  for (const [index, key] of keys.entries()) {
    hash.update(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
    if (key !== 'steps') {
      hash.update(canonical(entries[key]));
      continue;
    }
    let separator = '[';
    for await (const step of steps) {
      hash.update(separator + canonical(step));
      separator = ',';
    }
    hash.update(separator === '[' ? '[]' : ']');
  }
  hash.update('}');
  return hash.digest('hex');
}

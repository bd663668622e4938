// The plan under revision: its steps, which of them changed, and how one is taken out.
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import type { JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import { findField, type Role, readFields } from '../schema-fields.ts';
import { shield, unshield } from '../shield.ts';

/** A step of the plan under revision. `spec` is null when its operation is not offered any more. */
export type Working = {
  draft: StepDraft & { id: string };
  spec: OperationSpec | null;
  changed: boolean;
};

export type RevisionContext = { manifest: OperationSpec[]; now: Date; timezone: string };

/** An instruction to plan as new steps, and where they go. */
export type Addition = { text: string; place: 'first' | 'then' | 'beside' };

export function loadWork(previous: PlanDraft, manifest: OperationSpec[]): Working[] {
  return previous.steps.map((step, index) => ({
    draft: { ...step, id: step.id ?? String(index + 1) },
    spec:
      manifest.find((spec) => spec.tool === step.tool && spec.operation === step.operation) ?? null,
    changed: false,
  }));
}

export function idOf(dependency: string | { id: string }): string {
  return typeof dependency === 'string' ? dependency : dependency.id;
}

/** What waited for a removed step waits for what that step waited for. */
export function removeWork(work: Working[], gone: ReadonlySet<string>): Working[] {
  const byId = new Map(work.map((item) => [item.draft.id, item]));
  const inherit = (id: string, seen: Set<string>): string[] =>
    (byId.get(id)?.draft.after ?? []).map(idOf).flatMap((before) => {
      if (!gone.has(before) || seen.has(before)) return [before];
      seen.add(before);
      return inherit(before, seen);
    });
  return work
    .filter((item) => !gone.has(item.draft.id))
    .map((item) => {
      const after = item.draft.after ?? [];
      if (!after.some((dependency) => gone.has(idOf(dependency)))) return item;
      const kept = after.filter((dependency) => !gone.has(idOf(dependency)));
      const new_ = after
        .filter((dependency) => gone.has(idOf(dependency)))
        .flatMap((dependency) => inherit(idOf(dependency), new Set([idOf(dependency)])));
      const missing = [...new Set(new_)].filter(
        (id) => !gone.has(id) && !kept.some((dependency) => idOf(dependency) === id),
      );
      return { ...item, draft: { ...item.draft, after: [...kept, ...missing] } };
    });
}

export function setArgs(item: Working, args: JsonObject): Working {
  return { ...item, changed: true, draft: { ...item.draft, args } };
}

export function roleName(item: Working, role: Role): string | undefined {
  return item.spec ? findField(readFields(item.spec.input), role)?.name : undefined;
}

export function readValue(text: string): string {
  const shielded = shield(text.trim());
  return unshield(shielded.text, shielded.quotes).trim();
}

export type Change = { work: Working[] } | { unclear: string } | null;

export type Rule = (work: Working[], part: string, context: RevisionContext) => Change;

// The transfer file between instances: JSON lines. A header, then for each plan its content, its steps, the rows of its history,
// and an end with a checksum, so that a truncated or altered file is noticed.
import { z } from 'zod';
import { ApproverPolicy, PlanContext, PlanStatus, Risk, Series } from '#domain/plan/plan.ts';
import { KeptContent } from '#domain/plan/step-content.ts';

/** Incremented for changes that an older version cannot read. */
export const transferVersion = 1;

const Header = z.looseObject({
  kind: z.literal('header'),
  format: z.literal('countersign-plans'),
  version: z.int(),
  exported_at: z.string(),
  countersign: z.string(),
});

/** The fields of `PlanHeader`: the digest covers these and the steps. */
const PlanContent = z.strictObject({
  id: z.string(),
  version: z.int(),
  title: z.string(),
  summary: z.string().nullable(),
  context: PlanContext,
  risks: z.array(Risk),
  approver_policy: ApproverPolicy,
  executor_model: z.string().nullable(),
  tools_required: z.array(z.string()),
  step_approval: z.literal('each').exactOptional(),
  series: z.array(Series).exactOptional(),
  operation_digests: z.record(z.string(), z.string()).exactOptional(),
});

const PlanLine = z.looseObject({
  kind: z.literal('plan'),
  content: PlanContent,
  digest: z.string(),
  status: PlanStatus,
  requester: z.string(),
  tenant: z.string().nullable(),
  total: z.int(),
  /** Steps that had begun or ended. */
  begun: z.int(),
});
export type PlanLine = z.infer<typeof PlanLine>;

const StepLine = z.looseObject({
  kind: z.literal('step'),
  /** The current version, as proposed. */
  content: KeptContent,
  /** Part of a series, so not proposed separately. */
  occurrence: z.literal(true).exactOptional(),
});
export type StepLine = z.infer<typeof StepLine>;

/** A table row as Postgres writes it: the plan's history. */
const RowLine = z.looseObject({ kind: z.literal('row'), table: z.string(), row: z.unknown() });

const EndLine = z.looseObject({
  kind: z.literal('end'),
  plan_id: z.string(),
  lines: z.int(),
  /** SHA-256 in hex over the plan's lines before this one, each with its line break. */
  sha256: z.string(),
});

export const TransferLine = z.discriminatedUnion('kind', [
  Header,
  PlanLine,
  StepLine,
  RowLine,
  EndLine,
]);
export type TransferLine = z.infer<typeof TransferLine>;

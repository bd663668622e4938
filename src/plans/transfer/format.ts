// The transfer format: JSON lines with a checksum per plan.
import { z } from 'zod';
import { ApproverPolicy, PlanContext, PlanStatus, Risk, Series } from '#domain/plan/plan.ts';
import { KeptContent } from '#domain/plan/step-content.ts';

/** For changes older versions can't read. */
export const transferVersion = 1;

const Header = z.looseObject({
  kind: z.literal('header'),
  format: z.literal('countersign-plans'),
  version: z.int(),
  exported_at: z.string(),
  countersign: z.string(),
});

/** `PlanHeader`'s fields, which the digest covers with the steps. */
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
  /** Steps begun or ended. */
  begun: z.int(),
});
export type PlanLine = z.infer<typeof PlanLine>;

const StepLine = z.looseObject({
  kind: z.literal('step'),
  content: KeptContent,
  /** Not proposed separately. */
  occurrence: z.literal(true).exactOptional(),
});
export type StepLine = z.infer<typeof StepLine>;

/** As Postgres writes it. */
const RowLine = z.looseObject({ kind: z.literal('row'), table: z.string(), row: z.unknown() });

const EndLine = z.looseObject({
  kind: z.literal('end'),
  plan_id: z.string(),
  lines: z.int(),
  /** Hex, over the plan's lines before, with line breaks. */
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

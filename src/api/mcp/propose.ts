// plan_propose: steps or a request, proposed for the token's owner.
import { z } from 'zod';
import { digestJson } from '#domain/digest-json.ts';
import { CountersignError } from '#domain/errors.ts';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import { readDraft } from '#domain/plan/templates.ts';
import type { Service } from '#domain/service.ts';
import { nameSender } from '../idempotency.ts';
import type { Visitor } from './agent.ts';
import type { ProposeInput } from './shapes.ts';

type Proposal = z.infer<typeof ProposeInput>;
const Proposed = z.union([z.object({ plan_id: z.string() }), z.object({ run_id: z.string() })]);
export type Proposed = z.infer<typeof Proposed>;

function requireOne({ request, title, steps }: Proposal): void {
  const inSteps = title !== undefined && steps !== undefined;
  if (inSteps !== (request !== undefined)) return;
  throw new CountersignError(
    'invalid_request',
    'Give either "title" and "steps", or "request": what should be done, in words.',
  );
}

async function readProposedDraft({
  title,
  summary,
  steps,
  context,
  risks,
  step_approval,
  executor_model,
}: Proposal): Promise<PlanDraft> {
  const given = { title, summary, steps, context, risks, step_approval, executor_model };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const draft = await parseInSlices(PlanDraft, Object.fromEntries(known));
  if (draft.success) return readDraft(draft.data);
  throw new CountersignError('invalid_request', z.prettifyError(draft.error));
}

async function once<C>(
  { service, owner }: Visitor,
  { idempotency_key: key, ...proposal }: Proposal,
  check: () => Promise<C>,
  work: (joined: Service, checked: C) => Promise<Proposed>,
): Promise<Proposed> {
  if (key === undefined) return work(service, await check());
  const sender = nameSender(owner.id, owner.tenant ?? null);
  const digest = await digestJson(proposal);
  return Proposed.parse(await service.once({ key: `${sender} /mcp ${key}`, digest }, check, work));
}

/** @throws the refusal, storing nothing */
export async function propose(visitor: Visitor, proposal: Proposal): Promise<Proposed> {
  visitor.requireRole('requester');
  requireOne(proposal);
  const { owner, agent } = visitor;
  const { request } = proposal;
  if (request !== undefined)
    return once(
      visitor,
      proposal,
      async () => null,
      async (joined) => {
        const { run_id } = await joined.startRun({ text: request, user: owner.id }, agent);
        return { run_id };
      },
    );
  const draft = await readProposedDraft(proposal);
  return once(
    visitor,
    proposal,
    () => visitor.service.checkProposal(draft, { user: owner.id }, agent),
    async (joined, checked) => ({ plan_id: (await joined.commit(checked)).id }),
  );
}

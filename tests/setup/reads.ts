import type { Actor } from '#domain/people/actor.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Plan, StepStatus } from '#domain/plan/plan.ts';
import type { Service, Settlement } from '#domain/service.ts';
import { waitFor } from '../wait.ts';
import { ana } from './instance.ts';

export function readsOf(of: () => { service: Service }) {
  const stepOf = async (planId: string, id: string): Promise<ShownStep> => {
    const [step] = await of().service.getSteps(planId, [id]);
    if (step === undefined) throw new Error(`There is no step ${id}.`);
    return step;
  };
  return {
    stepOf,
    becomes: (planId: string, id: string, status: StepStatus): Promise<ShownStep> =>
      waitFor(`step ${id} to be ${status}`, async () => {
        const step = await stepOf(planId, id);
        return step.status === status ? step : null;
      }),
    async statusesOf(planId: string): Promise<Record<string, StepStatus>> {
      const { steps } = await of().service.listSteps(planId, { limit: 1000 });
      return Object.fromEntries(steps.map(({ id, status }) => [id, status]));
    },
    textsIn: async (conversation: string) =>
      (await of().service.messages(conversation, { limit: 100 })).map(({ text }) => text),
    approve: (
      plan: Pick<Plan, 'id' | 'version' | 'digest'>,
      actor: Actor = ana,
      part: object = {},
    ) =>
      of().service.approve(plan.id, { version: plan.version, digest: plan.digest, ...part }, actor),
    /** Settles version 1. */
    resume: (planId: string, settlement: Omit<Settlement, 'version'>, actor: Actor = ana) =>
      of().service.resume(planId, { version: 1, ...settlement }, actor),
  };
}

// Models that steps may use.
import type { Environment } from '#domain/environment.ts';
import { CountersignError } from '#domain/errors.ts';
import { findModel, type Price } from './catalogue.ts';
import type { ChatModel } from './chat.ts';

/** Null: the process's own. @throws `model_failed` if not offered */
export type ExecutorModels = (name: string | null) => ChatModel;

type Offer = {
  env: Pick<Environment, 'EXECUTOR_MODEL' | 'PLANNER_MODEL'>;
  prices: Record<string, Price>;
  /** OpenAI has every model in the catalogue. */
  isOpenAi: boolean;
};

/** Must have a price, or be set in the environment. */
export function findModelProblem({ env, prices, isOpenAi }: Offer, name: string): string | null {
  if (name === env.EXECUTOR_MODEL || name === env.PLANNER_MODEL) return null;
  const isPriced = name !== '*' && Object.hasOwn(prices, name);
  if (isPriced || (isOpenAi && findModel(name) !== null)) return null;
  return `The plan names the model ${name}, which is not offered here. Add its price to "prices" in countersign.json, or propose the plan with ${env.EXECUTOR_MODEL}.`;
}

export function createExecutorModels(
  offer: Offer,
  open: (name: string) => ChatModel,
): ExecutorModels {
  const opened = new Map<string, ChatModel>();
  return (named) => {
    const name = named ?? offer.env.EXECUTOR_MODEL;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const problem = findModelProblem(offer, name);
    if (problem !== null) throw new CountersignError('model_failed', problem);
    const model = open(name);
    opened.set(name, model);
    return model;
  };
}

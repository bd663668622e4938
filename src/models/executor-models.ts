// The models that steps may use: the process's own, and those that approved plans name.
import { CountersignError } from '#domain/errors.ts';
import type { Environment } from '#domain/settings.ts';
import { findModel, type Price } from './catalogue.ts';
import type { ChatModel } from './chat.ts';

/** The model with this name; null: the process's own. @throws CountersignError `model_failed` if it is not offered */
export type ExecutorModels = (name: string | null) => ChatModel;

type Offer = {
  env: Pick<Environment, 'EXECUTOR_MODEL' | 'PLANNER_MODEL'>;
  /** The settings' own prices. */
  prices: Record<string, Price>;
  /** The server is OpenAI's, which has every model of the catalogue. */
  isOpenAi: boolean;
};

/**
 * Says why steps cannot use the model, or null if they can. The models of the environment and those with a price are offered:
 * without a price no budget can hold.
 */
export function findModelProblem({ env, prices, isOpenAi }: Offer, name: string): string | null {
  if (name === env.EXECUTOR_MODEL || name === env.PLANNER_MODEL) return null;
  const isPriced = name !== '*' && Object.hasOwn(prices, name);
  if (isPriced || (isOpenAi && findModel(name) !== null)) return null;
  return `The plan names the model ${name}, which is not offered here. Add its price to "prices" in countersign.json, or propose the plan with ${env.EXECUTOR_MODEL}.`;
}

/** Each model is opened when it is first used. */
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

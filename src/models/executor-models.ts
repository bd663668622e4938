// The models that steps may use: the process's own, and those that approved plans name.
import type { Environment } from '#domain/environment.ts';
import { CountersignError } from '#domain/errors.ts';
import { findModel, type Price } from './catalogue.ts';
import type { ChatModel } from './chat.ts';

/** The named model, or the process's own for null. @throws CountersignError `model_failed` if it is not offered */
export type ExecutorModels = (name: string | null) => ChatModel;

type Offer = {
  env: Pick<Environment, 'EXECUTOR_MODEL' | 'PLANNER_MODEL'>;
  /** Prices from the settings. */
  prices: Record<string, Price>;
  /** The server is OpenAI's, which has every model in the catalogue. */
  isOpenAi: boolean;
};

/**
 * Why steps can't use the model, or null if they can. Models need a price, without which no budget can hold, or to be set in the
 * environment.
 */
export function findModelProblem({ env, prices, isOpenAi }: Offer, name: string): string | null {
  if (name === env.EXECUTOR_MODEL || name === env.PLANNER_MODEL) return null;
  const isPriced = name !== '*' && Object.hasOwn(prices, name);
  if (isPriced || (isOpenAi && findModel(name) !== null)) return null;
  return `The plan names the model ${name}, which is not offered here. Add its price to "prices" in countersign.json, or propose the plan with ${env.EXECUTOR_MODEL}.`;
}

/** Opens each model on first use. */
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

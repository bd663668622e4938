// The language models that a configuration names.
import type { Config } from '#config';
import { readModelAccess } from '#models/access.ts';
import type { ChatModel } from '#models/chat-model.ts';
import { findUnknownPrices } from '#models/prices.ts';

export type Models = { planner: ChatModel; executor: ChatModel };

/**
 * null: no model is set up; the planner goes by its rules and steps have no text of a model. What talks to one is loaded
 * only where there is one.
 */
export async function openModels(
  { env, settings }: Config,
  warn: (message: string) => void,
): Promise<Models | null> {
  const access = readModelAccess(env);
  if (access === null) return null;
  const [{ createChatModel }, { createModelClient }] = await Promise.all([
    import('#models/chat-model.ts'),
    import('#models/openai.ts'),
  ]);
  const client = createModelClient(access);
  const { prices } = settings;
  for (const problem of findUnknownPrices(env, prices)) warn(problem);
  return {
    planner: createChatModel({ client, name: env.PLANNER_MODEL, prices }),
    executor: createChatModel({ client, name: env.EXECUTOR_MODEL, prices }),
  };
}

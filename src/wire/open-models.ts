// The language models that a configuration names.
import type { Config } from '#config';
import { type ChatModel, createChatModel } from '#models/chat-model.ts';
import { createModelClient, readModelAccess } from '#models/openai.ts';

export type Models = { planner: ChatModel; executor: ChatModel };

/** null: no model is set up; the planner goes by its rules and steps have no text of a model. */
export function openModels({ env, settings }: Config): Models | null {
  const access = readModelAccess(env);
  if (access === null) return null;
  const client = createModelClient(access);
  const { prices } = settings;
  return {
    planner: createChatModel({ client, name: env.PLANNER_MODEL, prices }),
    executor: createChatModel({ client, name: env.EXECUTOR_MODEL, prices }),
  };
}

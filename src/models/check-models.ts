// Tests models with a tool call, and their shutdown dates.
import { z } from 'zod';
import { readText } from '#domain/bounded-body.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { parseAs } from '#domain/json.ts';
import type { ModelApi } from '#domain/model-apis.ts';
import type { ModelAccess } from './access.ts';
import { type Effort, findModel, type Price } from './catalogue.ts';
import type { ChatRequest } from './chat.ts';
import { createChatModel } from './chat-model.ts';
import type { ModelClient } from './client.ts';
import { openModelClient } from './open-client.ts';

export type ModelCheck = {
  model: string;
  ok: boolean;
  text: string;
  advice: string[];
};

type Role = { variable: string; model: string; effort?: Effort | undefined };

const callTimeoutMs = 60_000;
const listTimeoutMs = 10_000;
const longestList = 10_000_000;

const Listed = z.object({
  data: z.array(z.object({ id: z.string(), shutdown_date: z.string().nullish() })),
});

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Duplicates once. */
export async function checkModels(
  access: Pick<ModelAccess, 'apiKey' | 'baseUrl' | 'api'>,
  roles: Role[],
  prices: Record<string, Price>,
): Promise<ModelCheck[]> {
  const client = await openModelClient(access);
  const shutdowns = await readShutdowns(client, access.api);
  const names = [...new Set(roles.map(({ model }) => model))];
  return Promise.all(
    names.map(async (model) => {
      const set = roles.filter((role) => role.model === model);
      const variables = set.map(({ variable }) => variable).join(' and ');
      const effort = set.find((role) => role.effort !== undefined)?.effort;
      const advice = [
        ...adviseEffort(model, effort),
        ...adviseShutdown(model, variables, shutdowns.get(model)),
      ];
      const started = Date.now();
      try {
        const chat = createChatModel({ client, api: access.api, name: model, effort, prices });
        const { toolCalls } = await chat.complete(askForCall(), new AbortController().signal);
        const seconds = ((Date.now() - started) / 1000).toFixed(1);
        if (toolCalls.some(({ name }) => name === tool.name))
          return { model, ok: true, text: `${model} called a tool in ${seconds} s.`, advice };
        const text = `${model} answered without calling the tool it was told to call.`;
        return {
          model,
          ok: false,
          text,
          advice: [`Set ${variables} to a model that calls tools.`],
        };
      } catch (error) {
        const isOurs = error instanceof CountersignError;
        return { model, ok: false, text: isOurs ? error.message : errorMessage(error), advice };
      }
    }),
  );
}

const tool = {
  name: 'ready',
  description: 'Says that you can call tools.',
  parameters: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
};

function askForCall(): ChatRequest {
  return {
    messages: [{ role: 'user', content: 'Call the tool "ready" with the word "yes".' }],
    tools: [tool],
    mustCall: tool.name,
    maxOutputTokens: 4096,
    deadline: Date.now() + callTimeoutMs,
  };
}

/** Only OpenAI has them. */
async function readShutdowns(client: ModelClient, api: ModelApi): Promise<Map<string, string>> {
  const listed = await client
    .get(api === 'messages' ? '/v1/models' : '/models', { timeout: listTimeoutMs })
    .asResponse()
    .then((response) => readText(response, longestList))
    .then((text) => parseAs(Listed, text))
    .catch(() => undefined); // the call shows whether the server answers
  const dated = (listed?.data ?? []).flatMap(({ id, shutdown_date: date }): [string, string][] =>
    date ? [[id, date]] : [],
  );
  return new Map(dated);
}

function adviseShutdown(model: string, variables: string, listed: string | undefined): string[] {
  const facts = findModel(model);
  const day = listed ?? facts?.shutdown;
  if (day === undefined || Number.isNaN(Date.parse(day))) return [];
  const date = dateFormat.format(new Date(day));
  const next = facts?.replacement ?? 'a model without such a date';
  const verb = Date.parse(day) <= Date.now() ? 'was shut down' : 'is to be shut down';
  return [`${model} ${verb} on ${date}. Set ${variables} to ${next}.`];
}

function adviseEffort(model: string, effort: Effort | undefined): string[] {
  const facts = findModel(model);
  if (effort === undefined || facts === null || facts.efforts.includes(effort)) return [];
  const taken = facts.efforts.length === 0 ? 'none at all' : facts.efforts.join(', ');
  return [`${model} does not take PLANNER_REASONING_EFFORT=${effort}. It takes ${taken}.`];
}

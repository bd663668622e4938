// The APIs by which a model server is called (OpenAI's two, then Anthropic's), and their names for people.
export const modelApis = {
  responses: 'Responses',
  chat: 'Chat completions',
  messages: 'Messages',
} as const;
export type ModelApi = keyof typeof modelApis;

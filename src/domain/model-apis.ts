// Model server APIs and their display names.
export const modelApis = {
  responses: 'Responses',
  chat: 'Chat completions',
  messages: 'Messages',
} as const;
export type ModelApi = keyof typeof modelApis;

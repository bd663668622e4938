// JSON over HTTP; failures end the bench.
import { z } from 'zod';

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

export async function postJson(url: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return readAnswer(await fetch(url, { method: 'POST', headers, body }));
}

export async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  return readAnswer(await fetch(url, { headers }));
}

export const PlanAnswer = z.object({
  id: z.string(),
  version: z.number(),
  digest: z.string(),
  status: z.string(),
});

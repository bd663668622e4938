import type { Plan, PlanStatus, Step } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import { waitFor } from '../wait.ts';

export type Answer<T> = { status: number; type: string; body: T };
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  [detail: string]: unknown;
};

export type Client = {
  url: string;
  get<T = unknown>(path: string): Promise<Answer<T>>;
  post<T = unknown>(path: string, body?: unknown): Promise<Answer<T>>;
  send(path: string, body: string, type?: string): Promise<Answer<Problem>>;
  text(path: string): Promise<string>;
  plan(id: string): Promise<Plan>;
  steps(id: string): Promise<Step[]>;
  propose(draft: object): Promise<Plan>;
  approve(plan: Pick<Plan, 'id' | 'version' | 'digest'>, user?: string): Promise<Answer<Plan>>;
  reach(id: string, ...statuses: PlanStatus[]): Promise<Plan>;
  /** Waits for the planner. */
  ask(text: string, more?: object): Promise<RunView>;
  /** Waits for the planner. */
  reply(runId: string, text: string, user?: string): Promise<RunView>;
};

const planTimeoutMs = 30_000;

async function read<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  // Tests assert the body's type before using it.
  const body: T = type.includes('json') && !type.includes('jsonl') ? JSON.parse(text) : text;
  return { status: response.status, type, body };
}

function require2xx<T>({ status, body }: Answer<T>): T {
  if (status < 200 || status > 299) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** @param others further gateways: requests rotate */
export function createClient(url: string, ...others: string[]): Client {
  const gateways = [url, ...others];
  let sent = 0;
  const at = (path: string) => `${gateways[sent++ % gateways.length]}${path}`;
  const send = async <T>(path: string, body: string, type: string): Promise<Answer<T>> =>
    read(await fetch(at(path), { method: 'POST', headers: { 'content-type': type }, body }));
  const get = async <T>(path: string): Promise<Answer<T>> => read(await fetch(at(path)));
  const post = <T>(path: string, body: unknown = {}): Promise<Answer<T>> =>
    send(path, JSON.stringify(body), 'application/json');
  const plan = async (id: string) => require2xx(await get<Plan>(`/api/plans/${id}`));
  const settle = (runId: string): Promise<RunView> =>
    waitFor(
      `the planner to finish ${runId}`,
      async () => {
        const run = require2xx(await get<RunView>(`/api/runs/${runId}`));
        return run.planning_status !== 'running' && run;
      },
      { timeoutMs: planTimeoutMs },
    );
  return {
    url,
    get,
    post,
    send: (path, body, type = 'application/json') => send(path, body, type),
    text: async (path) => require2xx(await get<string>(path)),
    plan,
    steps: async (id) =>
      require2xx(await get<{ steps: Step[] }>(`/api/plans/${id}/steps?limit=1000`)).steps,
    propose: async (draft) => require2xx(await post<Plan>('/api/plans', draft)),
    approve: ({ id, version, digest }, user) =>
      post(`/api/plans/${id}/approve`, {
        version,
        digest,
        ...(user === undefined ? {} : { user }),
      }),
    async reach(id, ...statuses) {
      return await waitFor(
        `${id} to be ${statuses.join(' or ')}`,
        async () => {
          const now = await plan(id);
          return statuses.includes(now.status) && now;
        },
        { timeoutMs: planTimeoutMs },
      );
    },
    async ask(text, more = {}) {
      const { run_id } = require2xx(await post<{ run_id: string }>('/api/run', { text, ...more }));
      return await settle(run_id);
    },
    async reply(runId, text, user) {
      const body = { text, ...(user === undefined ? {} : { user }) };
      require2xx(await post(`/api/runs/${runId}/reply`, body));
      return await settle(runId);
    },
  };
}

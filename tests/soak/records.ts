// A soak's runs and plans, read past all trouble.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';

export type RunRecord = {
  id: string;
  request: string;
  status: string;
  plan: string | null;
  answer: string;
  tenant: string | null;
  conversation: string;
};
export type PlanRecord = {
  id: string;
  status: string;
  version: number;
  digest: string;
  requester: string;
  conversation: string | null;
  endedAt: number | null;
  revising: boolean;
};

export type Records = {
  runs: Map<string, RunRecord>;
  plans: Map<string, PlanRecord>;
  /** Retries until the database answers. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

const everyMs = 400;

/** @param url may not be migrated yet */
export function openRecords(url: string): Records {
  const pool = new Pool({ connectionString: url, max: 3, application_name: 'soak' });
  pool.on('error', () => undefined); // The next query uses another connection.
  const runs = new Map<string, RunRecord>();
  const plans = new Map<string, PlanRecord>();
  let closed = false;

  async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    for (;;) {
      const rows = await pool.query<Row>(text, values).then(
        (result) => result.rows,
        (error: unknown) => {
          // 22, 23 and 42 are our bugs, except 42P01: not migrated yet.
          const code = error instanceof Error && 'code' in error ? String(error.code) : '';
          if (closed || (/^(42|22|23)/.test(code) && code !== '42P01')) throw error;
          return null;
        },
      );
      if (rows !== null) return rows;
      await pause(250);
    }
  }

  async function read(): Promise<void> {
    const recent = `updated_at > now() - interval '60 seconds'`;
    for (const run of await query<RunRecord>(
      `select id, request, planning_status as status, plan_id as plan, left(response_text, 200) as answer,
        tenant, conversation from countersign.runs where ${recent}`,
    ))
      runs.set(run.id, run);
    const rows = await query<PlanRecord>(
      `select id, status, version, digest, requester, conversation, revising,
        (extract(epoch from execution_ended_at) * 1000)::float8 as "endedAt" from countersign.plans where ${recent}`,
    );
    for (const plan of rows) plans.set(plan.id, plan);
  }

  const reading = (async () => {
    while (!closed) {
      await read();
      await pause(everyMs);
    }
  })();
  return {
    runs,
    plans,
    query,
    async close() {
      closed = true;
      await reading.catch(() => undefined);
      await pool.end();
    },
  };
}

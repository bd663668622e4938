// Encrypted sign-ins at hosted MCP servers; one process at a time refreshes.
import { createHash } from 'node:crypto';
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import { PendingSignIn, SignIn, type SignInStore } from '#domain/tool-sign-in.ts';
import type { Database, Queryable } from '../database.ts';
import { type Listener, notify } from '../notify.ts';
import { countersign } from '../schema/columns.ts';
import { mcpSignInStates, mcpSignIns } from '../schema.ts';
import type { Seal } from '../seal.ts';
import { retryUntilDatabaseAnswers } from '../transient.ts';

const { server: name, generation: generations, refreshing_until } = mcpSignIns;
const pendingMinutes = 10;

const hash = (state: string) => createHash('sha256').update(state).digest('hex');
const about = (server: string) => `the sign-in at the MCP server ${server}`;
const aboutState = (state: string) => `the sign-in ${hash(state).slice(0, 12)}`;

export async function readSignInProblems(db: Queryable): Promise<Map<string, string>> {
  const { rows } = await db.execute<{ server: string; problem: string }>(
    sql`select server, problem from ${countersign}.mcp_sign_ins where problem is not null`,
  );
  return new Map(rows.map((row) => [row.server, row.problem]));
}

/** @param seal encrypts, or the reason nothing can be stored */
export function createSignInStore(
  db: Database,
  listener: Pick<Listener, 'on'>,
  seal: Seal | string,
): SignInStore {
  const lack = typeof seal === 'string' ? seal : null;
  const sealed = <T>(work: (with_: Seal) => T, otherwise: T): T =>
    typeof seal === 'string' ? otherwise : work(seal);
  const requireSeal = (): Seal => {
    if (typeof seal !== 'string') return seal;
    throw new Error(seal);
  };
  const ofGeneration = (server: string, generation: number) =>
    and(eq(name, server), eq(generations, generation));
  const notifySignIn = (tx: Queryable, server: string) => notify(tx, `sign-in:${server}`);

  return {
    lack,
    async read(server) {
      const [row] = await db.query.select().from(mcpSignIns).where(eq(name, server));
      if (row === undefined) return null;
      const { generation, problem, wants, signed_in_by: by, signed_in_at: at } = row;
      return sealed((own) => {
        const signIn = SignIn.parse(JSON.parse(own.open(row.sealed, about(server))));
        return { server, generation, signIn, problem, wants, by, at };
      }, null);
    },
    async list() {
      const rows = await db.query.select().from(mcpSignIns);
      return rows.map(({ server, generation, problem, wants, signed_in_by, signed_in_at }) => ({
        server,
        generation,
        problem,
        wants,
        by: signed_in_by,
        at: signed_in_at,
      }));
    },
    async store(server, signIn, by) {
      const row = {
        sealed: requireSeal().seal(JSON.stringify(signIn), about(server)),
        refreshing_until: null,
        problem: null,
        wants: null,
        signed_in_by: by,
        signed_in_at: sql`now()`,
      };
      await db.transaction(async (tx) => {
        await tx
          .insert(mcpSignIns)
          .values({ server, generation: 1, ...row })
          .onConflictDoUpdate({
            target: name,
            set: { ...row, generation: sql`${generations} + 1` },
          });
        await notifySignIn(tx, server);
      });
    },
    async claimRefresh(server, generation, ms) {
      const { rowCount } = await db.query
        .update(mcpSignIns)
        .set({ refreshing_until: sql`now() + make_interval(secs => ${ms / 1000})` })
        .where(
          and(
            ofGeneration(server, generation),
            or(isNull(refreshing_until), lt(refreshing_until, sql`now()`)),
          ),
        );
      return rowCount === 1;
    },
    async releaseRefresh(server, generation) {
      await db.query
        .update(mcpSignIns)
        .set({ refreshing_until: null })
        .where(ofGeneration(server, generation));
    },
    async storeRefreshed(server, generation, signIn) {
      const bytes = requireSeal().seal(JSON.stringify(signIn), about(server));
      // The former tokens are already invalid, so a lost connection must not lose these.
      return retryUntilDatabaseAnswers(
        () =>
          db.transaction(async (tx) => {
            const { rowCount } = await tx
              .update(mcpSignIns)
              .set({ sealed: bytes, generation: generation + 1, refreshing_until: null })
              .where(ofGeneration(server, generation));
            if (rowCount === 1) await notifySignIn(tx, server);
            return rowCount === 1;
          }),
        () => undefined,
        AbortSignal.timeout(60_000),
      );
    },
    async note(server, generation, problem, wants) {
      await db.transaction(async (tx) => {
        await tx
          .update(mcpSignIns)
          .set({ problem, wants, refreshing_until: null })
          .where(ofGeneration(server, generation));
        await notifySignIn(tx, server);
      });
    },
    async remove(server) {
      return db.transaction(async (tx) => {
        const { rowCount } = await tx.delete(mcpSignIns).where(eq(name, server));
        await notifySignIn(tx, server);
        return rowCount === 1;
      });
    },
    async keepPending(state, pending) {
      const bytes = requireSeal().seal(JSON.stringify(pending), aboutState(state));
      await db.query.delete(mcpSignInStates).where(lt(mcpSignInStates.expires_at, sql`now()`));
      await db.query.insert(mcpSignInStates).values({
        state: hash(state),
        sealed: bytes,
        expires_at: sql`now() + make_interval(mins => ${pendingMinutes})`,
      });
    },
    async takePending(state) {
      const [row] = await db.query
        .delete(mcpSignInStates)
        .where(
          and(eq(mcpSignInStates.state, hash(state)), gt(mcpSignInStates.expires_at, sql`now()`)),
        )
        .returning();
      if (row === undefined) return null;
      const text = requireSeal().open(row.sealed, aboutState(state));
      return PendingSignIn.parse(JSON.parse(text));
    },
    onChange: (server, wake) => listener.on(`sign-in:${server}`, wake),
  };
}

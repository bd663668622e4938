// Sends several statements as one transaction in a single round trip.
import { type Connection, type PoolClient, Query, type QueryResultRow } from 'pg';

/** A prepared statement with its values as Postgres reads them. */
export type WrittenStatement = { name: string; text: string; values: string[] };

/** Statements prepared per connection, under names of our own because pg tracks those it prepares itself. */
const prepared = new WeakMap<Connection, Set<string>>();

function send(connection: Connection, statements: WrittenStatement[], named: boolean): void {
  const known = prepared.get(connection) ?? new Set();
  prepared.set(connection, known);
  connection.stream.cork();
  for (const { name, text, values } of statements) {
    const statement = named ? `${name}_at_once` : '';
    if (!known.has(statement)) connection.parse({ name: statement, text, types: [] }, true);
    if (named) known.add(statement);
    connection.bind({ statement, values }, true);
    connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
  }
  // Results are read while Postgres commits.
  connection.flush();
  connection.sync();
  connection.stream.uncork();
}

/**
 * Runs `statements` in order; each sees the effects of earlier ones. Postgres treats everything between two Syncs as one
 * transaction: commits at the end, or skips the rest and rolls back after an error. @param named false leaves nothing prepared
 * @returns the rows of each, after commit @throws the failure, or a lost connection, after which it may have committed. The
 * connection must not be reused: its prepared statements are unknown
 */
export function sendAtOnce(
  client: PoolClient,
  statements: WrittenStatement[],
  named = true,
): Promise<QueryResultRow[][]> {
  return new Promise((resolve, reject) => {
    const query = new Query('', [], (error, results) => {
      if (error) reject(error);
      // pg hands over one result, or a list where there are several.
      else resolve([results].flat().map(({ rows }) => rows));
    });
    query.submit = (connection) => send(connection, statements, named);
    client.query(query);
  });
}

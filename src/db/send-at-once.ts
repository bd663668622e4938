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
 * Runs `statements`, one after the other, each of which sees what those before it did. Postgres makes one transaction of
 * what comes between two Syncs of its protocol: it commits after the last statement; where one fails the later ones are
 * passed over and all of it is rolled back.
 * @param named false: nothing stays prepared on the connection
 * @returns the rows of each, once all of it is committed
 * @throws what failed, or that the connection was lost, after which it may have been committed. The connection must not be
 *   used again: what it has prepared is not known
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

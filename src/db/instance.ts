// One instance is one schema (`DATABASE_SCHEMA`), so that several can share a database. Read when the program loads, because
// statements are written then; `loadConfig` checks its form.

const usual = 'countersign';

/** The schema of this instance's tables; `pg_notify` uses it as the name of its channel. */
export const schemaName = process.env.DATABASE_SCHEMA || usual;

const isUsual = schemaName === usual;

/** The schema of pg-boss: the instance's own. The usual instance keeps the one it has always had. */
export const bossSchema = isUsual ? 'pgboss' : schemaName;

/** Where applied migrations are recorded, as drizzle's tools expect it. */
export const journal = isUsual
  ? { schema: 'countersign_migrations', table: 'applied' }
  : { schema: schemaName, table: 'applied_migrations' };

/** `application_name` of this instance's sessions, alone or before a space. */
export const sessionName = isUsual ? 'countersign' : `countersign/${schemaName}`;

// One instance is one schema (`DATABASE_SCHEMA`), so several can share a database.
// Read on load, because statements are written then; `loadConfig` checks its form.

const usual = 'countersign';

/** Also the `pg_notify` channel. */
export const schemaName = process.env.DATABASE_SCHEMA || usual;

const isUsual = schemaName === usual;

/** The instance's own, except for the default instance. */
export const bossSchema = isUsual ? 'pgboss' : schemaName;

export const journal = isUsual
  ? { schema: 'countersign_migrations', table: 'applied' }
  : { schema: schemaName, table: 'applied_migrations' };

/** `application_name`, alone or before a space. */
export const sessionName = isUsual ? 'countersign' : `countersign/${schemaName}`;

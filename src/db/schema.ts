// The tables, from which migrations are generated. Columns have the names used everywhere.
export * from './schema/backends.ts';
export { countersign } from './schema/columns.ts';
export * from './schema/conversation.ts';
export * from './schema/deliveries.ts';
export * from './schema/extensive.ts';
export * from './schema/idempotency.ts';
export * from './schema/identities.ts';
export * from './schema/inbox.ts';
export * from './schema/installations.ts';
export * from './schema/planning.ts';
export * from './schema/plans.ts';
export * from './schema/playbooks.ts';
export * from './schema/records.ts';
export * from './schema/retention.ts';
export * from './schema/sign-ins.ts';
export * from './schema/steps.ts';
export * from './schema/tenancy.ts';
export * from './schema/webhooks.ts';

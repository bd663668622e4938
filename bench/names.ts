// Bench names, listed without loading benches.

export const benchNames = [
  'throughput',
  'throughput-write',
  'shapes',
  'dags',
  'propose',
  'views',
  'impact',
  'ready',
  'approve',
  'burst',
  'acknowledge',
  'planner',
  'visible',
  'people',
  'start',
  'retention',
  'schedule',
] as const;
export type BenchName = (typeof benchNames)[number];

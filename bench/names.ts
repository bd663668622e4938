// What `countersign bench` can measure; apart from the rest, so that the command line can list it without loading it.

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
] as const;
export type BenchName = (typeof benchNames)[number];

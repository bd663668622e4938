// Steps that do nothing but count as changing the world: each call is marked before it is made.
import { writeNoop } from '../noop-write.ts';
import { measureExecutor } from './executor-rate.ts';

export const measureThroughputWrite = measureExecutor(
  'throughput-write',
  writeNoop,
  'side-effecting no-op',
  { library: { reach: 2, stretch: 4 } },
);

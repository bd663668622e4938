// Read-only steps that do nothing.
import { readNoop } from '../graphs.ts';
import { measureExecutor } from './executor-rate.ts';

export const measureThroughput = measureExecutor('throughput', readNoop, 'read-only no-op', {
  boss: { reach: 0.5, stretch: 1 },
  library: { reach: 5, stretch: 10 },
});

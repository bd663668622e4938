// A planner's data request: one read, made by a worker.
import { z } from 'zod';
import { JsonObject, line } from '../text.ts';

export const DataRequestStatus = z.enum(['open', 'fulfilled', 'failed']);
export type DataRequestStatus = z.infer<typeof DataRequestStatus>;

export const DataRequest = z.object({
  id: z.string(),
  run_id: z.string(),
  plan_id: z.string().nullable(),
  operation: line(300),
  args: JsonObject,
  purpose: line(1000),
  status: DataRequestStatus,
  artifact_id: z.string().nullable(),
  summary: z.string().nullable(),
  created_at: z.iso.datetime(),
  fulfilled_at: z.iso.datetime().nullable(),
});
export type DataRequest = z.infer<typeof DataRequest>;

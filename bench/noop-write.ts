// A no-op declared as a write, so each call is marked first.
import { z } from 'zod';
import type { Operation } from '#domain/tool.ts';
import { defineOperation } from '#tools/define-operation.ts';
import type { Call } from './graphs.ts';

export const writeNoop: Call = { tool: 'bench', operation: 'write' };

/** Only in an instance opened with it. */
export function createNoopWrite(): Operation {
  return defineOperation({
    ...writeNoop,
    description: 'Do nothing, as carefully as if it could not be undone.',
    effect: 'write',
    destructive: false,
    schema: z.looseObject({}),
    async run() {
      return { summary: 'Did nothing.', data: null };
    },
  });
}

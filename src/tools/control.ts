// control_noop and control_wait: nothing, and nothing for a while.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Operation } from '#contracts/tool.ts';
import { defineOperation } from './define-operation.ts';
import { toAbortError } from './failures.ts';
import { describeOutput } from './output-schema.ts';

export function createControlOperations(): Operation[] {
  return [
    defineOperation({
      tool: 'control',
      operation: 'noop',
      description: 'Do nothing and succeed.',
      effect: 'read',
      destructive: false,
      verbs: ['do nothing'],
      schema: z.looseObject({}),
      output: describeOutput(z.null()),
      async run() {
        return { summary: 'Did nothing.', data: null };
      },
    }),
    defineOperation({
      tool: 'control',
      operation: 'wait',
      description: 'Wait for a number of seconds.',
      effect: 'read',
      destructive: false,
      targetArgument: 'seconds',
      verbs: ['wait', 'pause', 'sleep'],
      schema: z.strictObject({
        seconds: z.number().min(0).max(86_400).describe('How long, at most a day.'),
      }),
      output: describeOutput(z.strictObject({ seconds: z.number() })),
      expectedSeconds: ({ seconds }) => (typeof seconds === 'number' ? seconds : 0),
      async run({ seconds }, { signal }) {
        try {
          await wait(seconds * 1000, undefined, { signal });
        } catch (error) {
          throw signal.aborted ? toAbortError(signal) : error;
        }
        return { summary: `Waited ${seconds} s.`, data: { seconds } };
      },
    }),
  ];
}

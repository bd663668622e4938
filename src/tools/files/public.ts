// `countersign/tools`: all that a tool file may import.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { defineOperation as define } from '../define-operation.ts';
import { nothingDone } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { noteSecret } from './asked-secrets.ts';
import type { DefineOperation, Refusal, Secret } from './types.ts';

export type * from './types.ts';
export { z };

// Typed constants: the build generates declarations from these lines.

export const defineOperation: DefineOperation = ({ output, check, cancel, run, ...rest }) =>
  define({
    ...rest,
    ...(output === undefined ? {} : { output: describeOutput(output) }),
    ...(check === undefined
      ? {}
      : { checkLater: (later: string, signal: AbortSignal) => check(later, { signal }) }),
    ...(cancel === undefined
      ? {}
      : { cancelLater: (later: string, signal: AbortSignal) => cancel(later, { signal }) }),
    run: (args, { callbackUrl, ...context }) =>
      run(args, { ...context, callbackUrl: callbackUrl ?? noStep }),
  });

async function noStep(): Promise<string> {
  throw refusal('Only a step of a plan can be called back.');
}

export const secret: Secret = (variable) => {
  const value = process.env[variable];
  if (value !== undefined && value !== '') {
    noteSecret(value);
    return value;
  }
  throw new CountersignError(
    'tool_unavailable',
    `${variable} is not set. Set it in the environment of the workers and start them again.`,
    { details: nothingDone },
  );
};

export const refusal: Refusal = (message) =>
  new CountersignError('tool_failed', message, { details: nothingDone });

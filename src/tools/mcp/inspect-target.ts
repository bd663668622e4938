// What a target of a trusted server is now, by the read that the operator has named for the operation (A12).
import { hasRuntime, referencesOf } from '#contracts/arguments.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { JsonObject } from '#contracts/text.ts';
import { makeStorable } from '#contracts/text.ts';
import type { Operation, OperationSpec, ToolOutput } from '#contracts/tool.ts';
import { cutText } from '../limit-output.ts';
import { digestJson } from '../operation-digest.ts';
import { compileValidator } from '../validate-arguments.ts';

const textAtMost = 500;

/** The arguments that the read has too; null: one that names the target is not known yet, or the read needs others. */
function sharedArguments(args: JsonObject, input: OperationSpec['input']): JsonObject | null {
  const { properties } = input;
  if (typeof properties !== 'object' || properties === null) return null;
  const shared = Object.fromEntries(
    Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)),
  );
  const open = referencesOf(shared).length > 0 || hasRuntime(shared);
  return open || Object.keys(shared).length === 0 ? null : shared;
}

/**
 * Looks at a target by calling `read`. What the server refuses cannot be looked up.
 * @param call calls it @throws what the connection throws
 */
export function inspectBy(
  read: OperationSpec,
  call: (args: JsonObject, signal: AbortSignal) => Promise<ToolOutput>,
): NonNullable<Operation['inspect']> {
  const validate = compileValidator(read.input);
  return async (args, signal) => {
    const shared = sharedArguments(args, read.input);
    if (shared === null || validate(shared).length > 0) return null;
    try {
      const data = makeStorable((await call(shared, signal)).data);
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return {
        state: 'exists',
        fingerprint: digestJson(data),
        size: null,
        modified_at: null,
        text: text.length <= textAtMost ? text : `${cutText(text, textAtMost)}…`,
      };
    } catch (error) {
      if (error instanceof CountersignError && error.code === 'tool_failed') return null;
      throw error;
    }
  };
}

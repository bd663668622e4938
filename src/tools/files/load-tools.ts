// Loads the settings' tool files; an unusable one stops the start.
import { resolve } from 'node:path';
import { z } from 'zod';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { parseExactly } from '#domain/exact-json.ts';
import type { Settings } from '#domain/settings.ts';
import { type Sharing, sharingOf } from '#domain/tenancy.ts';
import { JsonValue, makeStorable } from '#domain/text.ts';
import {
  Effect,
  type LaterHandover,
  type LaterState,
  type Operation,
  operationName,
  type ToolOutput,
} from '#domain/tool.ts';
import { outcomeUnknown } from '../failures.ts';
import { withoutSecrets } from './asked-secrets.ts';
import { importTool } from './import-tool.ts';

export type ToolFile = {
  file: string;
  tool: string;
  operations: Operation[];
  sharing: Sharing;
};

type Run = Operation['call'];

const Exported = z.object({
  tool: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'letters, digits and hyphens'),
  operation: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, hyphens and underscores'),
  description: z.string().trim().min(1).max(4000),
  effect: Effect,
  destructive: z.boolean(),
  input: z.looseObject({ type: z.literal('object', 'the schema must be one of an object') }),
  output: z.looseObject({}).exactOptional(),
  targetArgument: z.string().exactOptional(),
  describe: z.custom<NonNullable<Operation['describe']>>(isFunction).exactOptional(),
  expectedSeconds: z.custom<NonNullable<Operation['expectedSeconds']>>(isFunction).exactOptional(),
  call: z.custom<Run>(isFunction, 'declare it with defineOperation'),
  checkLater: z.custom<NonNullable<Operation['checkLater']>>(isFunction).exactOptional(),
  cancelLater: z.custom<NonNullable<Operation['cancelLater']>>(isFunction).exactOptional(),
});
const ExportedFile = z.array(Exported).min(1);

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function broken(file: string, reason: string, cause?: unknown): CountersignError {
  return new CountersignError(
    'invalid_configuration',
    `tools: ${file} cannot be used: ${reason}`,
    cause === undefined ? {} : { cause },
  );
}

const Returned = z.object({ summary: z.string().catch('Done.'), data: z.unknown() });

/** The call has acted by then, so nothing is rejected. */
function readOutput(returned: unknown): ToolOutput {
  const { summary, data } = Returned.catch({ summary: 'Done.', data: null }).parse(returned);
  const json = JsonValue.safeParse(parseExactly(JSON.stringify(data ?? null) ?? 'null'));
  return { summary, data: json.success ? json.data : makeStorable(String(data)) };
}

const afterMs = z.number().nonnegative().optional().catch(undefined);
const Handover = z.object({ later: z.string().max(10_000), checkAfterMs: afterMs });

/** Null if the work is done. @throws if it contains a secret, which is never stored */
async function readHandover(name: string, returned: unknown): Promise<LaterHandover | null> {
  if (typeof returned !== 'object' || returned === null || !('later' in returned)) return null;
  const handover = Handover.safeParse(returned);
  if (handover.success) {
    const { later } = handover.data;
    if ((await withoutSecrets(async () => later)) === later) return handover.data;
  }
  throw new CountersignError(
    'tool_failed',
    `${name} started work, but its \`later\` must be a text of at most 10,000 characters without secrets.`,
    { details: outcomeUnknown },
  );
}

const State = z.discriminatedUnion('state', [
  z.object({ state: z.literal('running'), checkAfterMs: afterMs }),
  z.object({ state: z.literal('done'), output: z.unknown() }),
  z.object({ state: z.enum(['failed', 'lost']), message: z.string().min(1).max(2000) }),
]);

function readState(name: string, returned: unknown): LaterState {
  const state = State.safeParse(returned);
  if (!state.success)
    throw new Error(`check of ${name} gave no state: ${z.prettifyError(state.error)}`);
  return state.data.state === 'done'
    ? { state: 'done', output: readOutput(state.data.output) }
    : state.data;
}

async function loadFile(
  { file, ...rest }: Settings['tools'][number],
  baseDir: string,
): Promise<ToolFile> {
  const sharing = sharingOf(rest);
  const loaded = await importTool(resolve(baseDir, file)).catch((error: unknown) => {
    throw broken(file, errorMessage(error), error);
  });
  if (loaded.exported === undefined)
    throw broken(file, 'it has no default export. Export what defineOperation returns.');
  const parsed = ExportedFile.safeParse([loaded.exported].flat());
  if (!parsed.success) throw broken(file, z.prettifyError(parsed.error));
  const [{ tool } = { tool: '' }, ...others] = parsed.data;
  if (others.some((one) => one.tool !== tool))
    throw broken(file, 'it has operations of several tools. Put each tool in its own file.');
  const operations = parsed.data.map((one): Operation => {
    const { call, checkLater, cancelLater, ...spec } = one;
    const name = operationName(spec.tool, spec.operation);
    return {
      ...spec,
      name,
      source: 'file',
      identity: { server: loaded.digest, annotations: '' },
      ...(sharing === null ? {} : { sharing }),
      call: (args, context) =>
        withoutSecrets(async () => {
          const returned = await call(args, context);
          return (await readHandover(name, returned)) ?? readOutput(returned);
        }),
      ...(checkLater === undefined
        ? {}
        : {
            checkLater: (later, signal) =>
              withoutSecrets(async () => readState(name, await checkLater(later, signal))),
          }),
      ...(cancelLater === undefined
        ? {}
        : {
            async cancelLater(later, signal) {
              await withoutSecrets(async () => (await cancelLater(later, signal)) ?? null);
            },
          }),
    };
  });
  const names = new Set<string>();
  for (const { name } of operations) {
    if (names.has(name)) throw broken(file, `it declares ${name} twice.`);
    names.add(name);
  }
  return { file, tool, operations, sharing: sharing ?? {} };
}

export async function loadToolFiles(
  { files, from }: { files: Settings['tools']; from: string },
  taken: ReadonlyMap<string, string>,
): Promise<ToolFile[]> {
  const loaded: ToolFile[] = [];
  const names = new Map(taken);
  // A file's imports are recorded while it loads.
  for (const entry of files) {
    const one = await loadFile(entry, from);
    const other = names.get(one.tool);
    if (other !== undefined)
      throw broken(entry.file, `its tool is called ${one.tool}, as ${other} is. Rename it.`);
    names.set(one.tool, entry.file);
    loaded.push(one);
  }
  return loaded;
}

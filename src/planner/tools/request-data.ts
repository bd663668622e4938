// request_data: fetches large data into an artifact of the plan.
import { z } from 'zod';
import { isObject, type Json, toJson } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { showSchema, toolDefaults } from '../define-tool.ts';
import { fail, succeed, type Tool, type ToolContext, type ToolOutcome } from '../tool.ts';
import { ReadArguments, type ReadCall, readCall } from './catalogue-tools.ts';

const RequestData = ReadArguments.extend({ why: z.string() });

const maxKeys = 30;
const itemsShown = 3;
const maxShown = 400;

/** `list of 5,000`, `text of 300 characters`, `object`. */
function describeKind(value: Json): string {
  if (Array.isArray(value)) return `list of ${value.length.toLocaleString('en-US')}`;
  if (typeof value === 'string') return `text of ${countOf(value.length, 'character')}`;
  if (isObject(value)) return `object with ${Object.keys(value).slice(0, 10).join(', ')}`;
  return value === null ? 'null' : shorten(JSON.stringify(value), 60);
}

/** Shows the longest list, at most one level down. */
export function describeData(data: Json): Json {
  const inside = isObject(data) ? Object.entries(data) : [];
  const lists: [string, Json[]][] = [
    ['', data] as const,
    ...inside.map(
      ([key, value]) => [`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value] as const,
    ),
  ].flatMap(([path, value]) => (Array.isArray(value) ? [[path, value]] : []));
  const [longest] = lists.sort(([, a], [, b]) => b.length - a.length);
  const shape = isObject(data)
    ? Object.fromEntries(inside.slice(0, maxKeys).map(([key, value]) => [key, describeKind(value)]))
    : describeKind(data);
  if (longest === undefined)
    return {
      shape,
      begins: shorten(typeof data === 'string' ? data : JSON.stringify(data), maxShown),
    };
  const [path, items] = longest;
  const first = items.slice(0, itemsShown).map((item) => {
    const text = JSON.stringify(item);
    return text.length <= maxShown ? item : shorten(text, maxShown);
  });
  return { shape, list: path, first };
}

/** Null if a planner may have called it. */
function refuse(name: string, { tools }: ToolContext): string | null {
  const known = tools.manifest().find((spec) => spec.name === name);
  if (known === undefined)
    return `There is no operation ${shorten(name, 100)}. Find one with search_operations.`;
  if (tools.readable().some((spec) => spec.name === name)) return null;
  const why = known.effect === 'read' ? 'may not be called while planning' : 'changes something';
  return `${name} ${why}, so it has to be a step of the plan: add it with add_steps. Later steps take its output as { "$from": "its id", "path": "/…" }.`;
}

type Request = ReadCall & { why: string };

async function request(
  { name: operation, args, why }: Request,
  toolContext: ToolContext,
): Promise<ToolOutcome> {
  const { tools, state, now, signal } = toolContext;
  const refusal = refuse(operation, toolContext);
  if (refusal !== null) return { result: fail(refusal) };
  const problems = tools.validate(operation, args);
  if (problems.length > 0) return { result: fail(...problems) };
  const { requests } = tools;
  if (requests === null) return { result: fail('Nothing can be requested here. Call read.') };
  const purpose = shorten(why.trim() || 'for planning', 1000);
  const filed = await requests.fetch(state.run_id, { operation, args, purpose }, signal);
  const { status, artifact_id: artifact, summary } = filed;
  if (status === 'failed') return { result: fail(`It could not be fetched: ${summary}`) };
  const data = artifact === null ? null : await requests.load(state.run_id, artifact);
  if (artifact === null || data === null)
    return {
      result: succeed(
        { request: filed.id },
        'It is still being fetched. Go on, and ask for it again later.',
      ),
    };
  const sample = describeData(data);
  return {
    result: succeed(
      toJson({ artifact, about: sample }),
      `${summary ?? ''} A step takes it as { "$artifact": "${artifact}", "path": "/…" }; for_each lists from it with "artifact".`,
    ),
    read: { operation, args, data: sample, at: now.toISOString() },
  };
}

export const requestData: Tool<Request> = {
  ...toolDefaults,
  name: 'request_data',
  description:
    'Has a read operation called whose output is too large to read here. Gives a reference, the shape and the first items.',
  parameters: showSchema(RequestData),
  reads: true,
  // Small plans use `read`; each tool costs on every call.
  isOffered: (_, { planning_mode }) => planning_mode === 'extensive',
  prepare(args) {
    const read = readCall(args);
    const why = typeof args.why === 'string' ? args.why : '';
    return 'problems' in read ? read : { input: { ...read.input, why } };
  },
  execute: request,
};

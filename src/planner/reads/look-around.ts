// Describes a planner's surroundings; failed lookups become lines.
import { z } from 'zod';
import { isDatabaseAway } from '#db/transient.ts';
import { errorMessage } from '#domain/errors.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import { isObject, type JsonObject } from '#domain/text.ts';
import type { OperationSpec, ToolOutput, ToolStatus } from '#domain/tool.ts';
import { listOf, onOneLine, shorten, showName } from '#domain/words.ts';
import { nameTarget } from '../draft/check-draft.ts';
import type { PostTargets, Surroundings } from '../ports.ts';

export type Around = {
  manifest: OperationSpec[];
  readable: ReadonlySet<string>;
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutput>;
  calendars: string[];
  servers: ToolStatus[];
  guardedApprovers: Record<string, ApproverPolicy>;
  posts: PostTargets | null;
  pools: Record<string, number>;
  backends(): Promise<{ name: string; capabilities: string[] }[]>;
};

const lookMs = 2000;
const maxEntries = 25;
const maxWorkspace = 300;
const maxServers = 8;
const maxInstructions = 400;
const maxApprovers = 10;
const maxTargets = 5;
const maxCapacity = 30;

async function look(what: string, read: () => Promise<string | null>): Promise<string[]> {
  try {
    const line = await read();
    return line === null ? [] : [line];
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return [`${what} could not be looked at: ${onOneLine(errorMessage(error), 150)}`];
  }
}

const Listed = z.object({
  entries: z.array(z.object({ path: z.string(), kind: z.string() })),
  count: z.number(),
});

/** `Workspace: notes/ (4), a.txt and 3 more` */
async function describeWorkspace({ call }: Around, signal: AbortSignal): Promise<string> {
  const list = async (path: string) =>
    Listed.parse((await call('workspace_list', { path }, signal)).data);
  const { entries, count } = await list('.');
  if (count === 0) return 'Workspace: empty';
  const names = await Promise.all(
    entries.slice(0, maxEntries).map(async ({ path, kind }) => {
      if (kind !== 'folder') return path;
      const inside = await list(path).catch(() => null);
      return inside === null ? `${path}/` : `${path}/ (${inside.count})`;
    }),
  );
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 2;
    if (length > maxWorkspace) break;
    shown.push(showName(shorten(name, 200)));
  }
  const left = count - shown.length;
  return `Workspace: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function describeServer({ tool, ok, reason, instructions = '' }: ToolStatus): string[] {
  if (!ok) return [`${tool} is not connected: ${onOneLine(reason ?? '', 150)}`];
  return instructions.trim() === ''
    ? []
    : [`${tool} says: ${onOneLine(instructions, maxInstructions)}`];
}

/** Reads without arguments that list served places. */
const rootReads = /^(?:list_)?(?:allowed_directories|roots|drives|shares|sites|spaces)$/;

/** `files: /srv/share, /srv/archive` */
async function describeRoots(
  { manifest, readable, call }: Around,
  signal: AbortSignal,
): Promise<string[]> {
  const found = manifest.filter(
    ({ name, operation, source, input }) =>
      source === 'mcp' &&
      readable.has(name) &&
      rootReads.test(operation) &&
      (!Array.isArray(input.required) || input.required.length === 0),
  );
  const lines = found.slice(0, maxServers).map(({ name, tool }) =>
    look(`The roots of ${tool}`, async () => {
      const { data } = await call(name, {}, signal);
      const text = isObject(data) && typeof data.text === 'string' ? data.text : data;
      const content = typeof text === 'string' ? text : JSON.stringify(text);
      return `${tool} serves ${onOneLine(content, maxInstructions)}`;
    }),
  );
  return (await Promise.all(lines)).flat();
}

function describeApprovers(policy: ApproverPolicy): string {
  switch (policy.kind) {
    case 'requester':
      return 'the requester approves';
    case 'anyone':
      return policy.guests === true
        ? 'anyone may approve, guests included'
        : 'anyone but guests may approve';
    case 'not_requester':
      return 'somebody other than the requester approves';
    case 'named':
      return `${listOf(policy.people, 'or')} approves`;
    case 'n_of':
      return `${policy.n} of ${listOf(policy.people)} approve`;
    default:
      return policy satisfies never;
  }
}

/** `Back ends can: gpu (big), eu` */
function describeBackends(backends: { name: string; capabilities: string[] }[]): string | null {
  const able = new Map<string, Set<string>>();
  for (const { name, capabilities } of backends)
    for (const one of capabilities) able.set(one, (able.get(one) ?? new Set()).add(name));
  if (able.size === 0) return null;
  const listed = [...able]
    .slice(0, maxCapacity)
    .map(([capability, names]) => `${capability} (${[...names].slice(0, 3).join(', ')})`);
  return `Capabilities of back ends, for "capabilities": ${listed.join(', ')}`;
}

/** `Resource pools: gpu (4), api (10)` */
function describePools(pools: Record<string, number>): string[] {
  const listed = Object.entries(pools)
    .slice(0, maxCapacity)
    .map(([name, limit]) => `${name} (${limit} at once)`);
  return listed.length === 0 ? [] : [`Resource pools, for "resources": ${listed.join(', ')}`];
}

export async function lookAround(
  around: Around,
  runId: string,
  aborted: AbortSignal,
): Promise<Surroundings> {
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(lookMs)]);
  const { manifest, readable, calendars, servers, guardedApprovers, posts, pools } = around;
  const [backends, workspace, roots, targets] = await Promise.all([
    look('Back ends', async () => describeBackends(await around.backends())),
    readable.has('workspace_list')
      ? look('The workspace', () => describeWorkspace(around, signal))
      : [],
    describeRoots(around, signal),
    posts === null
      ? []
      : look('Other conversations', async () => {
          const found = (await posts.list(runId)).slice(0, maxTargets);
          return found.length === 0 ? null : `Can also post in ${found.map(nameTarget).join(', ')}`;
        }),
  ]);
  const approvers = manifest.flatMap(({ name }) => {
    const policy = guardedApprovers[name];
    return policy === undefined ? [] : [`${name}: ${describeApprovers(policy)}`];
  });
  return {
    own: [
      ...(calendars.length > 0 ? [`Calendars: ${calendars.slice(0, 20).join(', ')}`] : []),
      ...describePools(pools),
      ...backends,
      ...(approvers.length > 0 ? [approvers.slice(0, maxApprovers).join('; ')] : []),
    ],
    foreign: [
      ...workspace,
      ...servers
        .filter(({ source }) => source === 'mcp')
        .flatMap(describeServer)
        .slice(0, maxServers),
      ...roots,
      ...targets,
    ],
  };
}

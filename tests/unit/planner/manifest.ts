// Small typed manifests for planner tests: the built-ins by their real names, and MCP servers as theirs.
import { CountersignError } from '#domain/errors.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Effect, OperationSpec, ToolOutput } from '#domain/tool.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { makePlan } from '../../fixtures/plans.ts';

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'strings';

function schema(fields: Record<string, Kind | `${Kind}?`>): OperationSpec['input'] {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => {
      const type = kind.replace('?', '');
      return [name, type === 'strings' ? { type: 'array', items: { type: 'string' } } : { type }];
    }),
  );
  const required = Object.entries(fields)
    .filter(([, kind]) => !kind.endsWith('?'))
    .map(([name]) => name);
  return { type: 'object', properties, required, additionalProperties: false };
}

function builtin(
  tool: string,
  operation: string,
  effect: Effect,
  fields: Parameters<typeof schema>[0],
  more: Partial<OperationSpec> = {},
): OperationSpec {
  return {
    tool,
    operation,
    name: `${tool}_${operation}`,
    description: '',
    input: schema(fields),
    effect,
    destructive: false,
    source: 'builtin',
    ...more,
  };
}

function mcp(
  tool: string,
  operation: string,
  effect: Effect,
  description: string,
  input: OperationSpec['input'],
  more: Partial<OperationSpec> = {},
): OperationSpec {
  return {
    tool,
    operation,
    name: `${tool}_${operation}`,
    description,
    input,
    effect,
    destructive: false,
    source: 'mcp',
    ...more,
  };
}

export const builtins: OperationSpec[] = [
  builtin(
    'workspace',
    'list',
    'read',
    { path: 'string?', recursive: 'boolean?' },
    { targetArgument: 'path' },
  ),
  builtin(
    'workspace',
    'read',
    'read',
    { path: 'string', max_bytes: 'number?' },
    { targetArgument: 'path' },
  ),
  builtin(
    'workspace',
    'write',
    'idempotent',
    { path: 'string', content: 'string', overwrite: 'boolean?' },
    { targetArgument: 'path' },
  ),
  builtin(
    'workspace',
    'edit',
    'write',
    { path: 'string', action: 'string', text: 'string', find: 'string?', all: 'boolean?' },
    { targetArgument: 'path', destructive: true },
  ),
  builtin(
    'workspace',
    'copy',
    'idempotent',
    { path: 'string', to: 'string', overwrite: 'boolean?' },
    { targetArgument: 'to', destructive: true },
  ),
  builtin(
    'workspace',
    'move',
    'write',
    { from: 'string', to: 'string', overwrite: 'boolean?' },
    { targetArgument: 'to' },
  ),
  builtin(
    'workspace',
    'delete',
    'write',
    { path: 'string', recursive: 'boolean?' },
    { targetArgument: 'path', destructive: true },
  ),
  builtin('http', 'get', 'read', { url: 'string', headers: 'object?' }, { targetArgument: 'url' }),
  builtin(
    'http',
    'request',
    'write',
    { url: 'string', method: 'string', headers: 'object?', body: 'string?' },
    { targetArgument: 'url' },
  ),
  builtin(
    'chat',
    'post',
    'idempotent',
    { text: 'string', conversation: 'string?' },
    { targetArgument: 'conversation' },
  ),
  builtin(
    'human',
    'task',
    'idempotent',
    { question: 'string', assignee: 'string?', form: 'object?' },
    { targetArgument: 'assignee', human: true },
  ),
  builtin(
    'human',
    'confirm',
    'idempotent',
    { question: 'string', assignee: 'string?' },
    { targetArgument: 'assignee', human: true },
  ),
  builtin(
    'reminder',
    'set',
    'idempotent',
    { text: 'string', at: 'string?', rrule: 'string?', timezone: 'string?' },
    { targetArgument: 'text' },
  ),
  builtin(
    'calendar',
    'read',
    'read',
    { calendar: 'string?', from: 'string?', to: 'string?', timezone: 'string?' },
    { targetArgument: 'calendar' },
  ),
  builtin(
    'calendar',
    'add',
    'idempotent',
    { title: 'string', start: 'string', end: 'string?', rrule: 'string?', timezone: 'string?' },
    { targetArgument: 'calendar' },
  ),
  builtin('control', 'noop', 'read', {}),
  builtin('control', 'wait', 'read', { seconds: 'number' }, { targetArgument: 'seconds' }),
];

/** Reading tables, and writing up what many steps gave. */
export const tableOperations: OperationSpec[] = [
  builtin(
    'workspace',
    'read_table',
    'read',
    { path: 'string', offset: 'number?', limit: 'number?' },
    { targetArgument: 'path' },
  ),
  builtin('draft', 'gather', 'idempotent', {
    partition: 'string?',
    tag: 'string?',
    budget_tokens: 'number?',
    title: 'string?',
  }),
  builtin('draft', 'narrow', 'idempotent', { from: 'object', budget_tokens: 'number?' }),
  builtin('draft', 'finalise', 'idempotent', {
    draftbook: 'object',
    task: 'string',
    totals: 'strings?',
  }),
];

export const everythingServer: OperationSpec[] = [
  mcp('everything', 'echo', 'read', 'Echoes back the input string', {
    type: 'object',
    properties: { message: { type: 'string', description: 'Message to echo' } },
    required: ['message'],
  }),
  mcp(
    'everything',
    'get-sum',
    'read',
    'Returns the sum of two numbers',
    schema({ a: 'number', b: 'number' }),
  ),
  mcp('everything', 'get-tiny-image', 'read', 'Returns a tiny MCP logo image.', schema({})),
  mcp(
    'everything',
    'get-roots-list',
    'read',
    'Lists the current MCP roots provided by the client.',
    schema({}),
  ),
  mcp(
    'everything',
    'toggle-simulated-logging',
    'write',
    'Toggles simulated, random-leveled logging on or off.',
    schema({}),
  ),
];

export type FakeFiles = Record<string, string>;

/** A planner's tools over a manifest and a handful of files. Calls are recorded. */
export function toolsOf(
  manifest: OperationSpec[],
  files: FakeFiles = {
    'a.txt': 'A',
    'notes/a.md': '# A',
    'inbox/one.log': '1',
    'inbox/two.log': '2',
  },
): PlannerTools & { calls: { name: string; args: JsonObject }[] } {
  const calls: { name: string; args: JsonObject }[] = [];
  return {
    calls,
    manifest: () => manifest,
    readable: () => manifest.filter((spec) => spec.effect === 'read'),
    async call(name, args): Promise<ToolOutput> {
      calls.push({ name, args });
      return { summary: `${name} is done.`, data: answer(name, args, files) };
    },
    validate: validateRequired(manifest),
    atHand: null,
    posts: null,
    parts: null,
    requests: null,
    lookAround: null,
    listPlans: async () => ({ plans: [makePlan({ title: 'Tidy up', status: 'proposed' })] }),
    getPlan: async (_, id) => {
      if (id === 'PLAN-00000000')
        throw new CountersignError('plan_not_found', `There is no plan ${id}.`);
      return makePlan({ id, title: 'Tidy up', status: 'executing' });
    },
  };
}

function answer(name: string, args: JsonObject, files: FakeFiles): Json {
  const path = typeof args.path === 'string' ? args.path : '.';
  if (name === 'workspace_list') {
    const prefix = path === '.' ? '' : `${path}/`;
    const paths = Object.keys(files).filter((file) => file.startsWith(prefix));
    const names = new Set(paths.map((file) => file.slice(prefix.length).split('/')[0] ?? ''));
    const entries = [...names].map((entry) => ({
      path: prefix + entry,
      kind: files[prefix + entry] === undefined ? 'folder' : 'file',
      size: 1,
    }));
    return { path, entries, count: entries.length, truncated: false };
  }
  if (name === 'workspace_read_table') {
    const [head = '', ...lines] = (files[path] ?? '').trim().split('\n');
    const columns = head.split(',');
    const rows = lines.map((line) => {
      const values = line.split(',');
      return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']));
    });
    return { path, columns, rows, next: null };
  }
  if (name === 'workspace_read') {
    const text = files[path];
    if (text === undefined) throw new CountersignError('tool_failed', `There is no ${path}.`);
    return { path, text };
  }
  if (name === 'everything_get-sum')
    return { text: `The sum is ${Number(args.a) + Number(args.b)}.` };
  if (name === 'everything_echo') return { text: `Echo: ${args.message}` };
  if (name === 'http_get') return { status: 200, text: 'hello from the web' };
  return { text: `${name} ${JSON.stringify(args)}` };
}

function validateRequired(manifest: OperationSpec[]): PlannerTools['validate'] {
  return (name, args, unknown = []) => {
    const spec = manifest.find((candidate) => candidate.name === name);
    if (!spec) return [`There is no operation ${name}.`];
    const required = Array.isArray(spec.input.required) ? spec.input.required : [];
    const known =
      typeof spec.input.properties === 'object' && spec.input.properties !== null
        ? Object.keys(spec.input.properties)
        : [];
    const missing = required.filter(
      (key) => args[String(key)] === undefined && !unknown.includes(String(key)),
    );
    const extra = Object.keys(args).filter((key) => !known.includes(key));
    const outside = Object.values(args).filter(
      (value) => typeof value === 'string' && /^\.\.\/|^\//.test(value) && value.length < 100,
    );
    return [
      ...missing.map((key) => `"${String(key)}" is missing.`),
      ...extra.map((key) => `"${key}" is not an argument of ${name}.`),
      ...(spec.tool === 'workspace'
        ? outside.map((path) => `The path "${String(path)}" leads outside the workspace.`)
        : []),
    ];
  };
}

import { CountersignError } from '#domain/errors.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Effect, OperationSpec, ToolOutput } from '#domain/tool.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { makePlan } from '../../fixtures/plans.ts';

/** @param fields such as `path limit?:number`; text by default */
function schema(fields: string): OperationSpec['input'] {
  const all = fields.split(' ').flatMap((field) => {
    const [, name = '', optional, type = 'string'] = /^(\w+)(\?)?(?::(\w+))?$/.exec(field) ?? [];
    return name === '' ? [] : [{ name, type, isRequired: optional === undefined }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, type }) => [name, typeOf(type)])),
    required: all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

const typeOf = (type: string) =>
  type === 'strings' ? { type: 'array', items: { type: 'string' } } : { type };

function builtin(
  name: string,
  effect: Effect,
  target: string | null,
  fields: string,
  more: Partial<OperationSpec> = {},
): OperationSpec {
  const [, tool = '', operation = ''] = /^([^_]+)_(.+)$/.exec(name) ?? [];
  return {
    ...{ tool, operation, name, effect, description: '', input: schema(fields) },
    ...{ destructive: false, source: 'builtin' },
    ...(target === null ? {} : { targetArgument: target }),
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
  builtin('workspace_list', 'read', 'path', 'path? recursive?:boolean'),
  builtin('workspace_read', 'read', 'path', 'path max_bytes?:number'),
  builtin('workspace_search', 'read', 'path', 'query path?'),
  builtin('workspace_write', 'idempotent', 'path', 'path content overwrite?:boolean'),
  builtin('workspace_edit', 'write', 'path', 'path action text find? all?:boolean', {
    destructive: true,
  }),
  builtin('workspace_copy', 'idempotent', 'to', 'path to overwrite?:boolean', {
    destructive: true,
  }),
  builtin('workspace_move', 'write', 'to', 'from to overwrite?:boolean'),
  builtin('workspace_delete', 'write', 'path', 'path recursive?:boolean', { destructive: true }),
  builtin('http_get', 'read', 'url', 'url headers?:object'),
  builtin('http_request', 'write', 'url', 'url method headers?:object body?'),
  builtin('chat_post', 'idempotent', 'conversation', 'text conversation?'),
  builtin('human_task', 'idempotent', 'assignee', 'question assignee? form?:object', {
    human: true,
  }),
  builtin('human_confirm', 'idempotent', 'assignee', 'question assignee?', { human: true }),
  builtin('reminder_set', 'idempotent', 'text', 'text at? rrule? timezone?'),
  builtin('calendar_read', 'read', 'calendar', 'calendar? from? to? timezone?'),
  builtin('calendar_add', 'idempotent', 'calendar', 'title start end? rrule? timezone?'),
  builtin('control_noop', 'read', null, ''),
  builtin('control_wait', 'read', 'seconds', 'seconds:number'),
];

export const tableOperations: OperationSpec[] = [
  builtin('workspace_read_table', 'read', 'path', 'path offset?:number limit?:number'),
  builtin('draft_gather', 'idempotent', null, 'partition? tag? budget_tokens?:number title?'),
  builtin('draft_narrow', 'idempotent', null, 'from:object budget_tokens?:number'),
  builtin('draft_finalise', 'idempotent', null, 'draftbook:object task totals?:strings'),
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
    schema('a:number b:number'),
  ),
  mcp('everything', 'get-tiny-image', 'read', 'Returns a tiny MCP logo image.', schema('')),
  mcp(
    'everything',
    'get-roots-list',
    'read',
    'Lists the current MCP roots provided by the client.',
    schema(''),
  ),
  mcp(
    'everything',
    'toggle-simulated-logging',
    'write',
    'Toggles simulated, random-leveled logging on or off.',
    schema(''),
  ),
];

export type FakeFiles = Record<string, string>;

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

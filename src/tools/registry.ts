// This process's tools: built-ins, files, MCP servers; adds error codes, limits outputs.
import { hash } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Settings } from '#domain/settings.ts';
import { traceCall } from '#domain/telemetry.ts';
import {
  alone,
  isOwner,
  perOrganisation,
  reaches,
  type Sharing,
  type Tenancy,
} from '#domain/tenancy.ts';
import {
  isOffered,
  type Operation,
  type OperationSpec,
  type ToolHost,
  type ToolRegistry,
  type ToolStatus,
} from '#domain/tool.ts';
import type { SignInStore } from '#domain/tool-sign-in.ts';
import {
  type BuiltinOptions,
  type BuiltinPlace,
  builtinTools,
  createBuiltins,
} from './builtins.ts';
import { outcomeUnknown, passesOf, throwIfAborted } from './failures.ts';
import type { ToolFile } from './files/load-tools.ts';
import { createAddressRules } from './http/addresses.ts';
import { limitOutput } from './limit-output.ts';
import type { McpTool } from './mcp/server.ts';
import { createSeenShapes, noteShapes } from './seen-shapes.ts';
import { type ArgumentValidator, compileValidator } from './validate-arguments.ts';
import { reservedFolder } from './workspace/sandbox.ts';

export type RegistryOptions = Omit<BuiltinOptions, 'baseDir' | 'clock'> & {
  /** Contains other organisations' folders, but can't reach them. */
  workspaceDir: string;
  calendars: Settings['calendars'];
  mcpServers: Settings['mcpServers'];
  toolFiles?: { files: Settings['tools']; from: string } | undefined;
  disabledTools: Settings['disabledTools'];
  /** A new object after each change. Default: a single organisation. */
  tenancy?: () => Tenancy;
  signIns?: SignInStore;
  /** Redacted from everything a server says. */
  secrets?: string[];
  warn(message: string): void;
  /** For relative paths; default: the current folder. */
  baseDir?: string;
  clock?: Clock;
  /** For MCP servers; slower ones join later. Default 3 s. */
  startWaitMs?: number;
  /** Per attempt. Default 30 s. */
  connectTimeoutMs?: number;
  /** First pause before reconnecting. Default 1 s. */
  retryMs?: number;
};

type Reach = BuiltinPlace & { files: ToolFile[]; servers: McpTool[] };

export async function createRegistry(options: RegistryOptions): Promise<ToolHost> {
  const { workspaceDir, calendars, tenancy: readTenancy = () => alone } = options;
  const baseDir = options.baseDir ?? process.cwd();
  checkNames(options);
  await mkdir(workspaceDir, { recursive: true });
  const builtins = createBuiltins({ ...options, baseDir, clock: options.clock ?? systemClock });
  const disabled = new Set(options.disabledTools);
  const files = await loadFiles(options);
  let revision = 0;
  const servers = await createServers(options, baseDir, () => {
    revision += 1;
  });

  function openAt({ files, servers, ...place }: Reach): ToolRegistry {
    const shapes = createSeenShapes();
    const watch = (operation: Operation) => noteShapes(guardCall(operation), shapes);
    const all = [...builtins.openAt(place), ...files.flatMap((file) => file.operations)];
    const fixed = all
      .filter((operation) => !disabled.has(operation.tool) && !disabled.has(operation.name))
      .map(watch);
    let known: { revision: number; byName: Map<string, Operation>; list: OperationSpec[] } | null =
      null;
    const operations = () => {
      if (known?.revision === revision) return known;
      const byName = new Map(
        [...fixed, ...servers.flatMap((server) => server.operations().map(watch))]
          .filter((operation) => !disabled.has(operation.name))
          .map((operation) => [operation.name, operation]),
      );
      known = { revision, byName, list: [...byName.values()].map(toSpec) };
      return known;
    };
    const validators = new WeakMap<Operation, ArgumentValidator>();
    const validatorOf = (operation: Operation) => {
      const validator = validators.get(operation) ?? compileValidator(operation.input);
      validators.set(operation, validator);
      return validator;
    };
    return {
      shapes,
      list: () => [...operations().list],
      get: (name) => operations().byName.get(name),
      validate(name, args, unknown) {
        const operation = operations().byName.get(name);
        if (operation === undefined) return [`${name} is not an operation of any tool`];
        const problems = validatorOf(operation)(args, unknown);
        if (problems.length > 0) return problems;
        const problem = operation.check?.(args, unknown) ?? null;
        return problem === null ? [] : [problem.message];
      },
      async check(tool) {
        const server = servers.find((candidate) => candidate.name === tool);
        try {
          if (server !== undefined) await server.connection.ping();
          else if (!fixed.some((operation) => operation.tool === tool))
            return { ok: false, reason: `There is no tool ${tool}.` };
          else if (tool === 'workspace') await access(workspaceDir);
          return { ok: true };
        } catch (error) {
          return { ok: false, reason: errorMessage(error) };
        }
      },
      status: () => [...toOwnStatus(fixed, files), ...servers.map(toServerStatus)],
    };
  }

  const whole = openAt({ folder: workspaceDir, calendars, files, servers });
  const all = [
    ...builtins.openAt({ folder: workspaceDir, calendars }),
    ...files.flatMap((file) => file.operations),
  ];
  for (const name of disabled)
    if (!all.some((one) => one.tool === name || one.name === name) && !isOptional(name))
      options.warn(`disabledTools names ${name}, which is no tool or operation of this instance.`);
  await startServers(servers, options.startWaitMs ?? 3000);

  return {
    list: whole.list,
    status: whole.status,
    check: whole.check,
    of: perOrganisation(readTenancy, (tenant, tenancy) => {
      if (!tenancy.apart) return whole;
      const isWithin = (sharing: Sharing) => reaches(tenancy, sharing, tenant);
      return openAt({
        tenant,
        folder: folderOf(workspaceDir, tenancy, tenant),
        calendars: Object.fromEntries(
          Object.entries(calendars).filter(([, calendar]) => isWithin(calendar)),
        ),
        files: files.filter(({ sharing }) => isWithin(sharing)),
        servers: servers.filter(({ sharing }) => isWithin(sharing)),
      });
    }),
    async close() {
      await Promise.all([builtins.close(), ...servers.map((server) => server.connection.close())]);
    },
  };
}

/** Readable, and distinct on case-insensitive file systems. */
function folderOf(workspaceDir: string, tenancy: Tenancy, tenant: string | null): string {
  if (tenant === null || isOwner(tenancy, tenant)) return workspaceDir;
  const readable = tenant.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60);
  const name = `${readable}-${hash('sha256', tenant).slice(0, 16)}`;
  return join(workspaceDir, reservedFolder, 'organisations', name);
}

/** Not always offered, so switching it off is no mistake. */
function isOptional(name: string): boolean {
  return (builtinTools as readonly string[]).includes(name.split('_')[0] ?? '');
}

async function loadFiles({ toolFiles, mcpServers }: RegistryOptions): Promise<ToolFile[]> {
  if (toolFiles === undefined || toolFiles.files.length === 0) return [];
  const { loadToolFiles } = await import('./files/load-tools.ts');
  const taken = [
    ...builtinTools.map((name) => [name, 'a built-in tool'] as const),
    ...Object.keys(mcpServers).map((name) => [name, 'an MCP server'] as const),
  ];
  return loadToolFiles(toolFiles, new Map(taken));
}

async function createServers(
  options: RegistryOptions,
  baseDir: string,
  onChange: () => void,
): Promise<McpTool[]> {
  const named = Object.entries(options.mcpServers).filter(([, server]) => !server.disabled);
  if (named.length === 0) return [];
  const { createMcpTool } = await import('./mcp/server.ts');
  const rules = createAddressRules(options.http.allowPrivate);
  return named.map(([name, server]) =>
    createMcpTool({
      name,
      server,
      baseDir,
      secrets: options.secrets ?? [],
      signIns: options.signIns ?? null,
      clock: options.clock ?? systemClock,
      rules,
      warn: options.warn,
      onChange,
      connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
      retryMs: options.retryMs ?? 1000,
    }),
  );
}

async function startServers(servers: McpTool[], waitMs: number): Promise<void> {
  if (servers.length === 0) return;
  const enough = new AbortController();
  await Promise.race([
    Promise.allSettled(servers.map((server) => server.connection.connect())),
    wait(waitMs, undefined, { signal: enough.signal, ref: true }),
  ]);
  enough.abort();
}

function checkNames(options: RegistryOptions): void {
  const disabled = new Set(options.disabledTools);
  for (const [name, server] of Object.entries(options.mcpServers)) {
    if (server.disabled) continue;
    const taken = (builtinTools as readonly string[]).includes(name) && !disabled.has(name);
    if (taken || name === 'plan')
      throw new CountersignError(
        'invalid_configuration',
        `mcpServers.${name} has the name of a built-in tool; rename the server, or list "${name}" under disabledTools.`,
      );
    // `a_b` + `c` and `a` + `b_c` would be one name.
    if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(name))
      throw new CountersignError(
        'invalid_configuration',
        `mcpServers.${name}: a server's name has letters, digits and hyphens only.`,
      );
  }
}

function guardCall(operation: Operation): Operation {
  const { checkLater } = operation;
  return {
    ...operation,
    ...(checkLater === undefined
      ? {}
      : {
          async checkLater(handle, signal) {
            const state = await checkLater(handle, signal);
            return state.state === 'done' ? { ...state, output: limitOutput(state.output) } : state;
          },
        }),
    call(args, context) {
      const { name, tool } = operation;
      return traceCall(tool, name, args, async () => {
        throwIfAborted(context.signal);
        try {
          const output = await operation.call(args, context);
          return 'waitFor' in output || 'later' in output ? output : limitOutput(output);
        } catch (error) {
          if (error instanceof CountersignError) throw error;
          // After an unexpected failure of a write, its outcome is unknown.
          const details = operation.effect === 'write' ? outcomeUnknown : {};
          const message = `${name} failed: ${errorMessage(error)}`;
          const passesAfterMs = passesOf(error);
          throw new CountersignError('tool_failed', message, {
            cause: error,
            details,
            passesAfterMs,
          });
        }
      });
    },
  };
}

function toSpec({
  call: _call,
  check: _check,
  findRefusal: _refusal,
  outputOf: _output,
  describe: _describe,
  readsSteps: _reads,
  expectedSeconds: _expected,
  inspect: _inspect,
  compare: _compare,
  preview: _preview,
  suggest: _suggest,
  fingerprintAfter: _after,
  checkLater: _checkLater,
  cancelLater: _cancelLater,
  ...spec
}: Operation): OperationSpec {
  return spec;
}

function toOwnStatus(operations: Operation[], files: ToolFile[]): ToolStatus[] {
  return [...Map.groupBy(operations, (operation) => operation.tool)].map(([tool, group]) => {
    const from = files.find((one) => one.tool === tool);
    const source =
      from === undefined
        ? ({ source: 'builtin' } as const)
        : ({ source: 'file', file: from.file } as const);
    return { tool, ...source, ok: true, operations: group.filter(isOffered).length };
  });
}

function toServerStatus(server: McpTool): ToolStatus {
  const problem = server.connection.problem();
  return {
    tool: server.name,
    source: 'mcp',
    ok: problem === null,
    operations: server.operations().length,
    health: server.connection.health(),
    ...(problem === null ? {} : { reason: problem }),
    ...(server.instructions() === '' ? {} : { instructions: server.instructions() }),
    ...(server.notes().length === 0 ? {} : { notes: server.notes() }),
  };
}

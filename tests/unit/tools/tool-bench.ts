// A registry over a fresh workspace.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { Settings } from '#domain/settings.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { ToolContext, ToolHost, ToolOutput, ToolRegistry } from '#domain/tool.ts';
import { createRegistry, type RegistryOptions } from '#tools/registry.ts';

export function toolContext(change: Partial<ToolContext> = {}): ToolContext {
  return {
    planId: 'PLAN-00000001',
    stepId: '1',
    idempotencyKey: 'PLAN-00000001:1:1',
    user: 'ana',
    conversation: 'console:1',
    timezone: 'Europe/Berlin',
    pay: (_, call) => call(),
    model: null,
    callbackUrl: null,
    signal: new AbortController().signal,
    ...change,
  };
}

export type Bench = {
  workspace: string;
  host: ToolHost;
  registry: ToolRegistry;
  warnings: string[];
  call(name: string, args: JsonObject, change?: Partial<ToolContext>): Promise<ToolOutput>;
  data(name: string, args: JsonObject): Promise<{ [key: string]: Json }>;
  fail(name: string, args: JsonObject, change?: Partial<ToolContext>): Promise<CountersignError>;
  close(): Promise<void>;
};

export async function openBench(
  settings: { [key: string]: unknown } = {},
  options: Partial<RegistryOptions> = {},
): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tools-'));
  const workspace = join(folder, 'workspace');
  const warnings: string[] = [];
  const parsed = Settings.parse(settings);
  const host = await createRegistry({
    mcpServers: parsed.mcpServers,
    disabledTools: parsed.disabledTools,
    http: parsed.http,
    calendars: parsed.calendars,
    workspaceDir: workspace,
    baseDir: folder,
    warn: (message) => warnings.push(message),
    ...options,
  });
  const registry = host.of(null);
  const call: Bench['call'] = async (name, args, change) => {
    const operation = registry.get(name);
    if (operation === undefined) throw new Error(`${name} is not registered`);
    const output = await operation.call(args, toolContext(change));
    if ('waitFor' in output || 'later' in output) throw new Error(`${name} waits`);
    return output;
  };
  return {
    workspace,
    host,
    registry,
    warnings,
    call,
    async data(name, args) {
      const { data } = await call(name, args);
      if (typeof data !== 'object' || data === null || Array.isArray(data))
        throw new Error(`${name} answered ${JSON.stringify(data)}`);
      return data;
    },
    async fail(name, args, change) {
      try {
        await call(name, args, change);
      } catch (error) {
        if (error instanceof CountersignError) return error;
        throw error;
      }
      throw new Error(`${name} succeeded`);
    },
    async close() {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

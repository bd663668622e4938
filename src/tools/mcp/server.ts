// One MCP server as a tool; operations are kept once first seen.
import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@modelcontextprotocol/client';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { isOpen } from '#domain/plan/arguments.ts';
import type { McpServer } from '#domain/settings.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import type { Sharing } from '#domain/tenancy.ts';
import { type JsonObject, makeStorable, makeStorableText } from '#domain/text.ts';
import {
  type Operation,
  type OperationSpec,
  operationName,
  type ToolOutput,
} from '#domain/tool.ts';
import type { SignInStore } from '#domain/tool-sign-in.ts';
import { listOf, shorten } from '#domain/words.ts';
import { describeChange, digestJson, digestOperation } from '../catalogue.ts';
import { nothingDone } from '../failures.ts';
import type { AddressRules } from '../http/addresses.ts';
import { cutText } from '../limit-output.ts';
import { compileValidator } from '../validate-arguments.ts';
import { type Connection, callTool, createConnection } from './connection.ts';
import { describeTool } from './describe-tool.ts';
import { readResult } from './read-result.ts';
import { readTools, type SkippedTool } from './read-tools.ts';
import { findSecretFlag } from './secrets.ts';
import { taskOf } from './tasks.ts';
import { createTokens, takesSignIn } from './tokens.ts';

const maxText = 500;

function sharedArguments(args: JsonObject, input: OperationSpec['input']): JsonObject | null {
  const { properties } = input;
  if (typeof properties !== 'object' || properties === null) return null;
  const shared = Object.fromEntries(
    Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)),
  );
  const open = isOpen(shared);
  return open || Object.keys(shared).length === 0 ? null : shared;
}

/** A refusal of `read` means the target can't be looked up. */
function inspectBy(
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
        text: text.length <= maxText ? text : `${cutText(text, maxText)}…`,
      };
    } catch (error) {
      if (error instanceof CountersignError && error.code === 'tool_failed') return null;
      throw error;
    }
  };
}

export type McpTool = {
  name: string;
  sharing: Sharing;
  connection: Connection;
  operations(): Operation[];
  instructions(): string;
  notes(): string[];
};

export type McpToolOptions = {
  name: string;
  server: McpServer;
  baseDir: string;
  signIns: SignInStore | null;
  clock: Clock;
  rules: AddressRules;
  secrets: string[];
  warn(message: string): void;
  onChange(): void;
  connectTimeoutMs: number;
  retryMs: number;
};

export function createMcpTool(options: McpToolOptions): McpTool {
  const { name, server } = options;
  let operations: Operation[] = [];
  let listed: { list: unknown[]; serverName: string } | null = null;
  let notes: string[] = [];
  let instructions = '';
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (warned.has(message)) return;
    warned.add(message);
    options.warn(message);
  };
  const { signIns } = options;
  const tokens =
    signIns !== null && server.url !== undefined && takesSignIn(server)
      ? createTokens(name, server.url, signIns, options)
      : null;
  const connection = createConnection({
    ...options,
    tokens,
    async onTools(list, { name: serverName, instructions: text }) {
      instructions = makeStorableText(text);
      if (isDeepStrictEqual(listed, { list, serverName })) return;
      const current = { list, serverName };
      listed = current;
      const serverDigest = identifyServer(server, serverName);
      const found = new Map<string, Operation>();
      const { tools, skipped } = readTools(list);
      const unchecked: string[] = [];
      for (const tool of tools) {
        const spec = describeTool(name, tool, server, serverDigest);
        try {
          const { unchecked: patterns } = compileValidator(spec.input);
          found.set(spec.name, { ...spec, ...callOf(spec, tool) });
          if (patterns.length > 0) unchecked.push(tellUnchecked(spec.name, patterns));
        } catch (error) {
          const reason = `the schema of its arguments cannot be used (${errorMessage(error)})`;
          skipped.push({ name: tool.name, reason });
        }
        if (!isSliceOver()) continue;
        await nextTurn();
        if (listed !== current) return;
      }
      notes = [
        ...skipped.slice(0, maxNotes).map((one) => tellSkipped(name, one)),
        ...unchecked.slice(0, maxNotes),
      ];
      if (skipped.length > maxNotes)
        notes.push(`${skipped.length - maxNotes} more tools of ${name} are not offered.`);
      for (const note of notes) warnOnce(note);
      for (const [key, read] of Object.entries(server.inspect)) {
        const operation = found.get(operationName(name, key));
        const reader = found.get(operationName(name, read));
        if (
          operation === undefined ||
          reader?.effect !== 'read' ||
          reader.trusted !== true ||
          reader.checkLater !== undefined
        ) {
          const wrong = operation === undefined ? key : read;
          const why = found.has(operationName(name, wrong))
            ? 'does more than read what is there'
            : 'the server does not have';
          warnOnce(`mcpServers.${name}.inspect names ${wrong}, which ${why}.`);
        } else operation.inspect = inspectBy(reader, sendTo(reader));
      }
      for (const key of Object.keys(server.effects))
        if (!tools.some((tool) => tool.name === key))
          warnOnce(`mcpServers.${name}.effects names ${key}, which the server does not have.`);
      operations = [...found.values()];
      options.onChange();
    },
  });

  /** @throws `digest_mismatch` if the server's tool changed or is gone */
  function requireSame(spec: OperationSpec): void {
    const now = operations.find((one) => one.name === spec.name);
    const change = now === undefined ? null : describeChange(digestOperation(spec), now);
    if (now !== undefined && change === null) return;
    const what = change === null ? 'is no longer offered' : `has changed (${change})`;
    throw new CountersignError(
      'digest_mismatch',
      `${spec.name} ${what} since this call was prepared, so it was not called. Propose the plan again.`,
      { details: nothingDone },
    );
  }

  function sendTo(spec: OperationSpec) {
    return async (args: JsonObject, signal: AbortSignal): Promise<ToolOutput> => {
      const request = {
        method: 'tools/call',
        tool: spec.operation,
        input: spec.input,
        args,
        signal,
        repeatable: spec.effect !== 'write',
        requireSame: () => requireSame(spec),
      };
      const result = await connection.call(request, callTool);
      return readResult(spec.name, result, spec.output !== undefined, spec.effect);
    };
  }

  function callOf(spec: OperationSpec, tool: Tool): Omit<Operation, keyof OperationSpec> {
    if (tool.execution?.taskSupport === 'required')
      return taskOf(spec, connection, () => requireSame(spec));
    const call = sendTo(spec);
    return { call: (args, { signal }) => call(args, signal) };
  }

  return {
    name,
    sharing: server,
    connection,
    operations: () => operations,
    instructions: () => instructions,
    notes: () => notes,
  };
}

function withoutSecrets(args: string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    return findSecretFlag(arg) ?? (findSecretFlag(before) === before ? '' : arg);
  });
}

/** Without environment, headers or query. */
function identifyServer({ command, args, url }: McpServer, serverName: string): string {
  const address = url === undefined ? null : new URL(url);
  return digestJson([
    command ?? null,
    withoutSecrets(args),
    address === null ? null : `${address.origin}${address.pathname}`,
    makeStorableText(serverName),
  ]);
}

/** Characters of a reason; patterns per tool. */
const maxShown = { reason: 300, patterns: 3 };
const maxNotes = 50;

function tellSkipped(server: string, { name, reason }: SkippedTool): string {
  const why = makeStorableText(shorten(reason, maxShown.reason));
  return `${makeStorableText(name)} of ${server} is not offered: ${why}. Have it corrected at the server; its other tools work.`;
}

function tellUnchecked(name: string, patterns: readonly string[]): string {
  const shown = patterns.slice(0, maxShown.patterns).map((one) => quoteWords(one, 80));
  return `${name}: only the server checks ${makeStorableText(listOf(shown))}, which ${patterns.length === 1 ? 'is an expression' : 'are expressions'} that cannot be run safely here.`;
}

// Background tasks (MCP 2025-11-25). A local program loses them when it ends.
import { type CallToolResult, type Client, specTypeSchemas } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { makeStorableText } from '#domain/text.ts';
import type { LaterHandover, LaterState, Operation, OperationSpec } from '#domain/tool.ts';
import { nothingDone, outcomeUnknown } from '../failures.ts';
import { cutText } from '../limit-output.ts';
import type { CallRequest, Connection } from './connection.ts';
import { wasRefused } from './explain-failure.ts';
import { readResult } from './read-result.ts';

/** Requested; the server decides. */
const keepMs = 26 * 3600 * 1000;
const usualPollMs = 5000;
const maxStatus = 500;

/** `home`: the program run that has the task, or null for a remote server. */
const Handle = z.object({ task: z.string().min(1).max(1000), home: z.string().nullable() });

async function callAsTask(client: Client, { tool, args, signal }: CallRequest, timeout: number) {
  if (client.getProtocolEra() !== 'legacy')
    throw new CountersignError(
      'tool_unavailable',
      `${tool} runs only as a background task, which revision ${client.getNegotiatedProtocolVersion()} of MCP does not have.`,
      { details: nothingDone },
    );
  const params = { name: tool, arguments: args, task: { ttl: keepMs } };
  const request = { method: 'tools/call', params };
  const { task } = await client.request(request, specTypeSchemas.CreateTaskResult, {
    signal,
    timeout,
  });
  return task;
}

export function taskOf(
  spec: OperationSpec,
  connection: Connection,
  requireSame: () => void,
): Required<Pick<Operation, 'call' | 'checkLater' | 'cancelLater'>> {
  const requestOf = (method: string, signal: AbortSignal): CallRequest => ({
    method,
    tool: spec.operation,
    input: spec.input,
    args: {},
    signal,
    repeatable: true,
    requireSame: () => undefined,
  });
  const ask = <T>(
    method: 'tasks/get' | 'tasks/result' | 'tasks/cancel',
    signal: AbortSignal,
    send: (client: Client, timeout: number) => Promise<T>,
  ) =>
    connection.call(requestOf(method, signal), (client, _request, timeout) =>
      send(client, timeout),
    );
  const read = (handle: string) => Handle.parse(JSON.parse(handle));
  const isElsewhere = ({ home }: z.output<typeof Handle>) => home !== connection.home();

  async function fetchResult(task: string, signal: AbortSignal): Promise<LaterState> {
    const result = await ask('tasks/result', signal, (client, timeout) =>
      client.request(
        { method: 'tasks/result', params: { taskId: task } },
        specTypeSchemas.CallToolResult,
        { signal, timeout },
      ),
    );
    try {
      const output = readResult(
        spec.name,
        result satisfies CallToolResult,
        spec.output !== undefined,
      );
      return { state: 'done', output };
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'tool_failed') throw error;
      return { state: 'failed', message: error.message };
    }
  }

  async function check(task: string, signal: AbortSignal): Promise<LaterState> {
    const found = await ask('tasks/get', signal, (client, timeout) =>
      client.request(
        { method: 'tasks/get', params: { taskId: task } },
        specTypeSchemas.GetTaskResult,
        { signal, timeout },
      ),
    );
    const message = cutText(makeStorableText(found.statusMessage ?? ''), maxStatus).trim();
    const write = (what: string) => `${spec.name} ${what}${message === '' ? '.' : `: ${message}`}`;
    switch (found.status) {
      case 'working':
        return { state: 'running', checkAfterMs: found.pollInterval ?? usualPollMs };
      case 'completed':
        return fetchResult(task, signal);
      case 'failed':
        // The result says more than the status; some servers answer with an error instead.
        return fetchResult(task, signal).catch((error: unknown) => {
          if (!wasRefused(error)) throw error;
          return { state: 'failed' as const, message: write('failed') };
        });
      case 'cancelled':
        return { state: 'lost', message: write('was cancelled at its server') };
      case 'input_required':
        await cancel(task, signal);
        return {
          state: 'lost',
          message: `${spec.name} tried to ask a person during the call, which is not supported, and was stopped.`,
        };
      default:
        return found.status satisfies never;
    }
  }

  async function cancel(task: string, signal: AbortSignal): Promise<void> {
    await ask('tasks/cancel', signal, (client, timeout) =>
      client.request(
        { method: 'tasks/cancel', params: { taskId: task } },
        specTypeSchemas.CancelTaskResult,
        { signal, timeout },
      ),
    );
  }

  return {
    async call(args, { signal }): Promise<LaterHandover> {
      const request = {
        ...requestOf('tools/call', signal),
        args,
        repeatable: spec.effect !== 'write',
        requireSame,
      };
      const { task, home } = await connection.call(request, async (...sent) => ({
        task: await callAsTask(...sent),
        home: connection.home(),
      }));
      const handle = Handle.safeParse({ task: task.taskId, home });
      if (!handle.success)
        throw new CountersignError(
          'tool_failed',
          `${spec.name} started a task with an ID that can't be stored.`,
          { details: outcomeUnknown },
        );
      return {
        later: JSON.stringify(handle.data),
        checkAfterMs: task.pollInterval ?? usualPollMs,
      };
    },
    async checkLater(text, signal) {
      const handle = read(text);
      await connection.connect(signal);
      if (isElsewhere(handle)) return { state: 'elsewhere' };
      try {
        return await check(handle.task, signal);
      } catch (error) {
        if (!wasRefused(error)) throw error;
        const why = errorMessage(error);
        return { state: 'lost', message: `The server of ${spec.name} lost its task: ${why}` };
      }
    },
    async cancelLater(text, signal) {
      const handle = read(text);
      if (!isElsewhere(handle)) await cancel(handle.task, signal);
    },
  };
}

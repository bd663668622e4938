// One call of a tool as a span, by OpenTelemetry's conventions for generative AI.
import { span, takesContents } from './telemetry.ts';

/** @param tool what the operation is of: a built-in tool, an MCP server, or `planner` for the planner's own */
export function traceCall<T extends object>(
  tool: string,
  operation: string,
  args: object,
  call: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': operation,
    'gen_ai.tool.type': 'function',
    'countersign.tool': tool,
    ...(takesContents() ? { 'gen_ai.tool.call.arguments': JSON.stringify(args) } : {}),
  };
  return span('tool_call', `execute_tool ${operation}`, { attributes }, async (made) => {
    const result = await call();
    if (takesContents()) made.set({ 'gen_ai.tool.call.result': JSON.stringify(result) });
    return result;
  });
}

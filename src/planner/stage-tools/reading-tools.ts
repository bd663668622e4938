// Operations that only read, as tools of the planner. Their names are made to fit what model servers take.
import { JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import { succeed } from '../agent/agent-tool.ts';
import type { PlannerTools } from '../ports.ts';
import { openStages } from './conversation-tools.ts';
import type { StageTool } from './stage-tool.ts';

/** Servers take at most 128 tools; the planner's own come first. */
const readingAtMost = 100;

export function createReadingTools(tools: PlannerTools, own: string[]): StageTool[] {
  const taken = new Set(own);
  return tools
    .readable()
    .slice(0, readingAtMost)
    .map((spec) => readingTool(spec, nameFunction(spec.name, taken)));
}

function readingTool(spec: OperationSpec, name: string): StageTool {
  const { $schema: _, ...parameters } = spec.input;
  return {
    name,
    description: `${spec.description.slice(0, 900)} (reads only)`,
    parameters,
    strict: false,
    stages: openStages,
    prerequisites: [],
    produces: [],
    reads: true,
    revision: 1,
    // The call itself says what is wrong, by the operation's own schema.
    check: () => [],
    async run(input, { tools, signal }) {
      const args = JsonObject.parse(input);
      const problems = tools.validate(spec.name, args);
      if (problems.length > 0)
        return { result: { ok: false, confidence: 0, explanations: problems, data: null } };
      const output = await tools.call(spec.name, args, signal);
      return { result: succeed(output.data, output.summary.slice(0, 500)) };
    },
  };
}

/** A name that every server takes, unique among the tools offered. */
function nameFunction(name: string, taken: Set<string>): string {
  const base = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  let candidate = base;
  for (let count = 2; taken.has(candidate); count += 1) candidate = `${base}_${count}`;
  taken.add(candidate);
  return candidate;
}

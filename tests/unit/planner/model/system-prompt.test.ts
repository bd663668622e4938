// What the model is told of operations, and in which order: what stays the same first.
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { writeSystemPrompt } from '#planner/model/prompts/system-prompt.ts';

const operation: OperationSpec = {
  tool: 'tracker',
  operation: 'list',
  name: 'tracker_list',
  description: 'List tickets.',
  input: {
    type: 'object',
    properties: { state: { type: 'string', enum: ['open', 'closed'] } },
    required: ['state'],
  },
  output: {
    type: 'object',
    properties: {
      tickets: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, points: { type: ['number', 'null'] } },
          required: ['id'],
        },
      },
    },
    required: ['tickets'],
  },
  effect: 'read',
  destructive: false,
  source: 'mcp',
};

const write = (now: string, manifest = [operation]) =>
  writeSystemPrompt({
    stage: 'COLLECT_CONTEXT',
    manifest,
    policy: defaultPolicy,
    modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 3 },
    now: new Date(now),
    timezone: 'UTC',
  });

describe('the system prompt', () => {
  it('says what an operation takes and gives', () => {
    expect(write('2026-11-25T10:00:00Z')).toContain(
      '- tool "tracker", operation "list" (read): List tickets. Arguments: {"state":{"type":"string","enum":["open","closed"]}} Required: state. Output: { tickets: { id: string; points?: number | null }[] }',
    );
  });

  it('writes long arguments as a type, never as half of a schema', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `field_${index}`,
        { type: 'string', description: 'A long explanation of what this field is for.' },
      ]),
    );
    const input = { type: 'object', properties, required: ['field_0'] };
    expect(write('2026-11-25T10:00:00Z', [{ ...operation, input }])).toContain(
      'Arguments: { field_0: string; field_1?: string; field_2?: string;',
    );
  });

  it('begins alike at different times, operations included', () => {
    const one = write('2026-11-25T10:00:00Z');
    const other = write('2026-11-26T11:11:11Z');
    const same = [...one].findIndex((letter, index) => letter !== other[index]);
    expect(same).toBeGreaterThan(one.indexOf('Output: { tickets'));
    expect(one.slice(same).length).toBeLessThan(200);
  });
});

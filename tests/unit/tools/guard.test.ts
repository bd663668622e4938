import { describe, expect, it } from 'vitest';
import type { OperationSpec } from '#domain/tool.ts';
import { type CallQuestion, decideCall, isShell, plannerOperations } from '#tools/guard.ts';

const question: CallQuestion = {
  operation: 'workspace_write',
  scope: ['workspace_write', 'http_request'],
  guarded: ['http_request'],
  approvedBy: 'ana',
  mode: 'block',
};

describe('a call', () => {
  it('inside the scope of its approved plan is allowed, guarded or not', () => {
    expect(decideCall(question)).toEqual({
      kind: 'allow',
      reason: 'workspace_write is in the scope of this plan, approved by ana.',
    });
    expect(decideCall({ ...question, operation: 'http_request' })).toEqual({
      kind: 'allow',
      reason: 'http_request is guarded, and is in the scope of this plan, approved by ana.',
    });
  });

  it('that only reads is allowed with that reason, in a plan and outside of one', () => {
    const read = { ...question, operation: 'workspace_list', effect: 'read' as const };
    expect(decideCall({ ...read, scope: ['workspace_list'] })).toEqual({
      kind: 'allow',
      reason: 'workspace_list only reads, and is in the scope of this plan, approved by ana.',
    });
    expect(decideCall({ ...read, scope: null, approvedBy: null })).toEqual({
      kind: 'allow',
      reason: 'workspace_list only reads, so it needs no plan.',
    });
  });

  it('outside the scope is refused with what is available', () => {
    expect(decideCall({ ...question, operation: 'workspace_delete' })).toEqual({
      kind: 'refuse',
      code: 'out_of_scope',
      reason:
        'Tool workspace_delete not available in plan scope. Only [workspace_write, http_request] are available.',
    });
  });

  it('is judged by the exact name', () => {
    for (const operation of ['workspace_writ', 'workspace_write2', 'WORKSPACE_WRITE', ''])
      expect(decideCall({ ...question, operation }).kind).toBe('refuse');
  });

  it('of a guarded operation outside an approved plan is told to propose a plan', () => {
    for (const scope of [null, ['http_request']]) {
      const decision = decideCall({
        ...question,
        operation: 'http_request',
        approvedBy: null,
        scope,
      });
      expect(decision).toMatchObject({ kind: 'refuse', code: 'guarded_operation' });
      expect(decision).toHaveProperty('reason', expect.stringMatching(/step of a plan/));
    }
  });

  it('in log mode goes out and is recorded with the reason it would have been refused for', () => {
    const log = { ...question, mode: 'log' } as const;
    expect(decideCall({ ...log, operation: 'workspace_delete' })).toMatchObject({
      kind: 'record',
      code: 'out_of_scope',
    });
    expect(decideCall({ ...log, operation: 'http_request', approvedBy: null })).toMatchObject({
      kind: 'record',
      code: 'guarded_operation',
    });
  });

  it('of a shell needs to be listed in an approved plan, in every mode', () => {
    for (const mode of ['block', 'log'] as const) {
      const shell = { ...question, operation: 'dev_run_command', mode };
      expect(decideCall(shell).kind).toBe('refuse');
      expect(decideCall({ ...shell, scope: null, approvedBy: null }).kind).toBe('refuse');
      expect(decideCall({ ...shell, scope: ['dev_run_command'], approvedBy: null }).kind).toBe(
        'refuse',
      );
      expect(decideCall({ ...shell, scope: ['dev_run_command'] }).kind).toBe('allow');
    }
  });
});

describe('a shell', () => {
  it.each(['a_bash', 'a_executeShell', 'a_run_command', 'a_RunCommand', 'x_exec', 'term_cmd'])(
    'is known by its name: %s',
    (name) => expect(isShell(name)).toBe(true),
  );
  it.each(['workspace_write', 'shop_publish', 'git_executive_summary', 'a_commander'])(
    'is not seen where there is none: %s',
    (name) => expect(isShell(name)).toBe(false),
  );
});

describe('a planner', () => {
  const spec = (name: string, change: Partial<OperationSpec> = {}): OperationSpec => ({
    tool: name.split('_')[0] ?? '',
    operation: name.split('_').slice(1).join('_'),
    name,
    description: '',
    input: {},
    effect: 'read',
    destructive: false,
    source: 'builtin',
    ...change,
  });
  const registry = {
    list: () => [
      spec('workspace_read'),
      spec('workspace_write', { effect: 'idempotent' }),
      spec('http_get'),
      spec('human_task', { human: true }),
      spec('control_wait'),
      spec('text_write'),
      spec('fs_read_file', { source: 'mcp' }),
      spec('dev_bash', { source: 'mcp' }),
      spec('ask_person', { source: 'mcp', human: true }),
    ],
  };
  const names = (tools: Parameters<typeof plannerOperations>[1]) =>
    plannerOperations(registry, tools).map((operation) => operation.name);

  it('is offered what only reads, and nothing that reaches people, costs money or runs commands', () => {
    expect(names({ deny: [] })).toEqual(['workspace_read', 'http_get', 'fs_read_file']);
  });

  it('is offered less by deny and allow, and never more', () => {
    expect(names({ deny: ['http_get'] })).toEqual(['workspace_read', 'fs_read_file']);
    expect(names({ allow: ['http_get', 'workspace_write', 'human_task'], deny: [] })).toEqual([
      'http_get',
    ]);
  });
});

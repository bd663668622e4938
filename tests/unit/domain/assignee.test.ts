import { describe, expect, it } from 'vitest';
import { assigneeOf, isHumanTask } from '#domain/plan/human-task.ts';
import { makeStep } from '../../fixtures/plans.ts';

const task = { tool: 'human', operation: 'task' };

describe('whom a task is for', () => {
  it('is whom it was given to when it asked, before whom it was proposed for', () => {
    const args = { question: 'Well?', assignee: 'ana' };
    expect(assigneeOf(makeStep('1', { ...task, args }))).toBe('ana');
    const output = { assignee: 'ben', form: null };
    expect(assigneeOf(makeStep('1', { ...task, args, output }))).toBe('ben');
    expect(assigneeOf(makeStep('1', { ...task, args, output: { assignee: null } }))).toBe('ana');
  });

  it('is nobody in particular where none is named yet', () => {
    const args = { assignee: { $from: '0', path: '/owner' } };
    expect(assigneeOf(makeStep('2', { ...task, args }))).toBeNull();
    expect(assigneeOf(makeStep('2', { ...task, args: { assignee: '' } }))).toBeNull();
    expect(assigneeOf(makeStep('2', { ...task, args: {}, output: ['ben'] }))).toBeNull();
  });

  it('is nobody where a tool of another kind has an argument of that name', () => {
    const call = { tool: 'tracker', operation: 'open', args: { assignee: 'ben' } };
    expect(assigneeOf(makeStep('1', { ...call, output: { assignee: 'ben' } }))).toBeNull();
    expect([task, call].map(isHumanTask)).toEqual([true, false]);
  });
});

import { expect, it } from 'vitest';
import { describeActivity, writeActivity } from '#cards/activity-words.ts';

const reading = (operation: string, what: string | null) =>
  describeActivity({ kind: 'reading', operation, what });

it('says what is read in the words of the operation', () => {
  expect(reading('workspace_read', 'notes/brief.md')).toBe('reading notes/brief.md');
  expect(reading('workspace_list', 'notes')).toBe('looking through notes');
  expect(reading('memory.search_nodes', 'Ana')).toBe('searching for Ana');
  expect(reading('search_operations', 'send mail')).toBe('searching for send mail');
  expect(reading('describe_operation', 'mail.send')).toBe('checking mail.send');
  expect(reading('calendar_free', 'Ana')).toBe('looking at Ana');
  expect(reading('show_steps', 's1')).toBe('going over the draft');
  expect(reading('plan_get', 'PLAN-3f9a1c20')).toBe('reading PLAN-3f9a1c20');
  expect(reading('list_accounts', null)).toBe('looking things up with list accounts');
});

it('counts the steps of the draft', () => {
  expect(writeActivity({ kind: 'waiting' })).toBe('Waiting: no worker is running …');
  expect(writeActivity({ kind: 'thinking' })).toBe('Thinking …');
  expect(writeActivity({ kind: 'drafting', steps: 0 })).toBe('Drafting the plan …');
  expect(writeActivity({ kind: 'drafting', steps: 1 })).toBe('Drafting: 1 step so far …');
  expect(writeActivity({ kind: 'drafting', steps: 1200 })).toBe('Drafting: 1,200 steps so far …');
});

it('keeps a status to one short line without hidden characters, whatever a model named', () => {
  const words = reading('files_read', `a\n\u202eb${'c'.repeat(500)}`);
  expect(words).not.toMatch(/[\n\u202e]/);
  expect(words.length).toBeLessThan(100);
});

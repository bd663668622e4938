import { expect, test } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import { type Around, lookAround } from '#planner/reads/look-around.ts';
import { builtins } from '../manifest.ts';

const listing = (...entries: { path: string; kind: string }[]) => ({
  summary: '',
  data: { path: '.', entries, count: entries.length, truncated: false },
});

const around: Around = {
  pools: { gpu: 4 },
  backends: async () => [
    { name: 'big', capabilities: ['gpu', 'eu'] },
    { name: 'small', capabilities: ['eu'] },
  ],
  manifest: builtins,
  readable: new Set(['workspace_list']),
  call: async (_, { path }) =>
    path === '.'
      ? listing({ path: 'notes', kind: 'folder' }, { path: 'a.txt', kind: 'file' })
      : listing({ path: 'notes/b.md', kind: 'file' }),
  calendars: ['team'],
  servers: [
    { tool: 'crm', source: 'mcp', ok: true, operations: 3, instructions: 'Ask\nfor ids first.' },
    { tool: 'desk', source: 'mcp', ok: false, operations: 0, reason: 'It refused the connection.' },
    { tool: 'workspace', source: 'builtin', ok: true, operations: 5 },
  ],
  guardedApprovers: {
    workspace_delete: { kind: 'n_of', people: ['ana', 'ben'], n: 2 },
    gone_operation: { kind: 'anyone' },
  },
  posts: {
    list: async () => [{ conversation: 'slack-1', about: 'Close\nT-305' }],
    resolve: async () => new Map(),
  },
};

test('tells folders with their sizes, calendars, servers, approvers and conversations in a line each', async () => {
  expect(await lookAround(around, 'run', new AbortController().signal)).toEqual({
    own: [
      'Calendars: team',
      'Resource pools, for "resources": gpu (4 at once)',
      'Capabilities of back ends, for "capabilities": gpu (big), eu (big, small)',
      'workspace_delete: 2 of ana and ben approve',
    ],
    foreign: [
      'Workspace: notes/ (1), a.txt',
      'crm says: Ask for ids first.',
      'desk is not connected: It refused the connection.',
      'Can also post in slack-1 (“Close T-305”)',
    ],
  });
});

test('says in a line what cannot be looked at, and cuts what is long', async () => {
  const broken = {
    ...around,
    servers: [],
    posts: { ...around.posts, list: () => Promise.reject(new Error('The database is away.')) },
  };
  const failing = await lookAround(
    {
      ...broken,
      posts: { list: broken.posts.list, resolve: async () => new Map() },
      call: () => Promise.reject(new CountersignError('tool_failed', 'The folder is gone.')),
    },
    'run',
    new AbortController().signal,
  );
  expect(failing.foreign).toEqual([
    'The workspace could not be looked at: The folder is gone.',
    'Other conversations could not be looked at: The database is away.',
  ]);
  const entries = Array.from({ length: 100 }, (_, index) => ({
    path: `a-long-name-of-a-file-number-${index}.txt`,
    kind: 'file',
  }));
  const { foreign } = await lookAround(
    { ...around, servers: [], posts: null, call: async () => listing(...entries) },
    'run',
    new AbortController().signal,
  );
  expect(foreign[0]?.length).toBeLessThan(450);
  expect(foreign[0]).toMatch(/ and \d\d more$/);
});

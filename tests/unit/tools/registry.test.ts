import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Settings } from '#domain/settings.ts';
import { outsidePlan, type ToolRegistry } from '#domain/tool.ts';
import { isOutcomeUnknown } from '#tools/failures.ts';
import { createRegistry } from '#tools/registry.ts';

let folder: string;
let registry: ToolRegistry;
let close: () => Promise<void>;
const settings = Settings.parse({});
const { signal } = new AbortController();
const context = {
  ...outsidePlan({ idempotencyKey: 'key', user: 'ana', timezone: 'UTC', signal }),
  conversation: 'c',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-registry-'));
  const host = await createRegistry({
    mcpServers: {},
    disabledTools: [],
    workspaceDir: folder,
    http: settings.http,
    calendars: {},
    warn: () => {},
    chat: {
      post: () => Promise.reject(new RangeError('the socket fell over')),
    },
  });
  registry = host.of(null);
  close = host.close;
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

test('a failure nobody foresaw has a code and a sentence', async () => {
  const post = registry.get('chat_post');
  await expect(post?.call({ text: 'hello' }, context)).rejects.toMatchObject({
    code: 'tool_failed',
    message: expect.stringContaining('the socket fell over'),
  });
});

test('a failure that was foreseen is known to have done nothing', async () => {
  const error = await registry
    .get('workspace_delete')
    ?.call({ path: 'none.md' }, context)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  expect(error).toMatchObject({ code: 'tool_failed' });
  expect(isOutcomeUnknown(error)).toBe(false);
});

// Doctor has a remedy for every problem.
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  judgePooler,
  judgeQueue,
  judgeSchema,
  judgeServer,
  judgeVersions,
} from '#app/doctor/check-server.ts';
import {
  checkDisk,
  checkKey,
  checkPort,
  checkPublicUrl,
  checkTraces,
  judgeDisk,
  judgeZones,
} from '#app/doctor/check-surroundings.ts';
import { refuseTaken } from '#app/ports.ts';
import type { ServerFacts } from '#db/server-facts.ts';
import { Environment } from '#domain/environment.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { listenOnLoopback } from '../fixtures/loopback.ts';

const sound: ServerFacts = {
  version: '18.4',
  major: 18,
  encoding: 'UTF8',
  aheadMs: 40,
  connections: { used: 12, most: 97 },
  size: 34_500_000,
  identity: '5 today',
};
const judge = (changes: Partial<ServerFacts> = {}) =>
  judgeServer({ ...sound, ...changes }, { needs: 11, embedded: true });
const broken = (results: CheckResult[]) =>
  results.flatMap(({ part, state, text, advice }) =>
    state === 'broken' ? [`${part}: ${text} → ${advice}`] : [],
  );

describe('the database server', () => {
  it('is sound', () => {
    expect(judge().map(({ part, state, text }) => [part, state, text])).toEqual([
      ['Database server', 'ok', 'PostgreSQL 18.4, embedded, 34.5 MB'],
      ['Database encoding', 'ok', 'UTF8'],
      ['Database clock', 'ok', 'agrees with this machine'],
      ['Connections', 'ok', '12 of 97 in use'],
    ]);
  });

  it.for<[Partial<ServerFacts>, RegExp]>([
    [{ version: '14.18', major: 14 }, /^Database server: .*14\.18.* → Upgrade it to PostgreSQL 15/],
    [{ encoding: 'SQL_ASCII' }, /^Database encoding: SQL_ASCII → Create a new database/],
    [
      { aheadMs: -7300 },
      /^Database clock: 7\.3 s behind this machine → Keep both machines on time/,
    ],
    [{ aheadMs: 60_000 }, /^Database clock: 60\.0 s ahead of this machine → /],
    [
      { connections: { used: 90, most: 97 } },
      /^Connections: .* → A process opens 11 and 7 are left/,
    ],
  ])('is broken by %j', ([changes, words]) => {
    const found = broken(judge(changes));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(words);
  });

  it('is reached through a pooler', () => {
    expect(judgePooler(sound, null).state).toBe('off');
    expect(judgePooler(sound, { identity: sound.identity }).state).toBe('ok');
  });

  it('is not what DATABASE_DIRECT_URL reaches', () => {
    expect(broken([judgePooler(sound, { identity: '5 yesterday' })])[0]).toMatch(
      /two different databases → /,
    );
    expect(broken([judgePooler(sound, { problem: 'refused' })])[0]).toMatch(
      /does not work: refused → /,
    );
  });

  it('has the schema of this program, or of another', () => {
    expect(judgeSchema('same', '0031_traces')).toMatchObject({
      state: 'ok',
      text: 'up to 0031_traces',
    });
    expect(broken([judgeSchema('newer', '0031_traces')])[0]).toMatch(
      /belongs to a newer Countersign.* → Run countersign migrate/,
    );
  });
});

describe('the queue', () => {
  it('is fine while jobs are taken', () => {
    expect(judgeQueue([{ kind: 'plan', n: 0, oldest: null }]).text).toBe('empty');
    expect(judgeQueue([{ kind: 'plan', n: 3, oldest: 12 }])).toMatchObject({
      state: 'ok',
      text: '3 jobs due',
    });
  });

  it('is not when the oldest job has been due for five minutes', () => {
    const found = broken([
      judgeQueue([
        { kind: 'plan', n: 3, oldest: 660 },
        { kind: 'card', n: 1, oldest: 1 },
      ]),
    ]);
    expect(found[0]).toMatch(
      /^Queue: 3 jobs of plan for 11 min wait to be taken\. → Start a worker/,
    );
  });
});

describe('the workers', () => {
  it('run one version, or an upgrade is to be finished', () => {
    expect(judgeVersions([], '1.0.0')).toEqual([]);
    expect(judgeVersions([{ version: '1.0.0' }], '1.0.0')[0]?.state).toBe('ok');
    const found = broken(
      judgeVersions([{ version: '1.0.0' }, { version: '0.9.0' }, { version: null }], '1.0.0'),
    );
    expect(found[0]).toMatch(
      /^Versions: Workers run 0\.9\.0 and unknown alongside 1\.0\.0\. → Finish the upgrade/,
    );
  });
});

describe('what is around the program', () => {
  const env = (variables: object) => ({ env: Environment.parse(variables) });
  const nobody = 'http://127.0.0.1:1';

  it('has a disk with room', async () => {
    expect(await checkDisk({ home: '/' })).toMatchObject({ part: 'Disk' });
    expect(judgeDisk({ home: '/d', free: 5e9, all: 1e12 }).text).toBe(
      '5.0 GB of 1.0 TB free for /d',
    );
    expect(broken([judgeDisk({ home: '/d', free: 5e8, all: 1e12 })])[0]).toMatch(
      / → Free some space/,
    );
    expect(broken([await checkDisk({ home: '/nowhere/at/all' })])[0]).toMatch(
      / → Set COUNTERSIGN_HOME to/,
    );
  });

  it('has a key, or says how to make one', () => {
    expect(checkKey(env({})).advice).toContain('openssl rand -base64 32');
    expect(checkKey(env({ COUNTERSIGN_ENCRYPTION_KEY: 'a'.repeat(64) }))).toMatchObject({
      state: 'ok',
      text: 'set',
    });
  });

  it('has time zones that are not too old', () => {
    const now = new Date('2026-11-27T00:00:00Z');
    expect(judgeZones('Europe/Madrid', '2025c', now).state).toBe('ok');
    expect(broken([judgeZones('Europe/Madrid', '2024a', now)])[0]).toMatch(/ → Update Node/);
    expect(broken([judgeZones('Europe/Madrid', undefined, now)])).toHaveLength(1);
  });

  it('has a public address that reaches this server, a collector that takes traces, or neither', async () => {
    let answer: [number, string] = [200, '{"status":"ok"}'];
    const server = await listenOnLoopback(
      createServer((_, response) => void response.writeHead(answer[0]).end(answer[1])),
    );
    const address = () => checkPublicUrl(env({ COUNTERSIGN_PUBLIC_URL: server.url }));
    const traces = () => checkTraces(env({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url }));
    try {
      expect((await address()).state).toBe('ok');
      expect(await traces()).toMatchObject({
        state: 'ok',
        text: `sent to ${server.url}/v1/traces`,
      });
      answer = [404, 'a page of somebody else'];
      expect(broken([await address()])[0]).toMatch(/\/healthz answers 404\. → Start the gateway/);
      expect(broken([await traces()])[0]).toMatch(/answers 404\. → Start the collector/);
      answer = [401, ''];
      expect((await traces()).state).toBe('ok');
    } finally {
      await server.close();
    }
    expect(broken([await checkPublicUrl(env({ COUNTERSIGN_PUBLIC_URL: nobody }))])[0]).toMatch(
      /does not answer/,
    );
    expect(broken([await checkTraces(env({ OTEL_EXPORTER_OTLP_ENDPOINT: nobody }))])[0]).toMatch(
      /does not answer/,
    );
    expect((await checkPublicUrl(env({}))).state).toBe('off');
    expect((await checkTraces(env({}))).state).toBe('off');
  });

  it('names who has the port, and a start on it is refused before it begins', async () => {
    let page = '{"status":"ok","version":"0.2.0"}';
    const server = await listenOnLoopback(createServer((_, response) => void response.end(page)));
    const port = () => checkPort(env({ PORT: server.port }));
    const start = () => refuseTaken('PORT', server.url).catch((error: unknown) => String(error));
    try {
      expect(await port()).toMatchObject({
        state: 'ok',
        text: `Countersign 0.2.0 answers at ${server.url}`,
      });
      expect(await start()).toMatch(
        /is taken on 127\.0\.0\.1 by another Countersign 0\.2\.0\. Use it/,
      );
      page = 'a page of somebody else';
      expect(broken([await port()])[0]).toMatch(/→ Stop it, or set PORT to another one\./);
      expect(await start()).toMatch(/PORT: \d+ is taken on 127\.0\.0\.1\. Stop the program there/);
    } finally {
      await server.close();
    }
    expect((await port()).state).toBe('off');
    expect(await start()).toBeUndefined();
  });
});

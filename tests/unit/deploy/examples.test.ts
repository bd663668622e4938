import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '#app/config.ts';
import manifest from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const secrets = { COUNTERSIGN_API_TOKEN: 'sixteen-characters', DATABASE_URL: 'postgres://db/c' };
const makeFolder = () => mkdtempSync(join(tmpdir(), 'countersign-'));

test.each(readdirSync(join(root, 'examples/mcp')))('examples/mcp/%s is a configuration', (file) => {
  const path = `examples/mcp/${file}`;
  const variables = [...read(path).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']);
  const env = { ...Object.fromEntries(variables), COUNTERSIGN_CONFIG: join(root, path) };
  const { settings, settingsFile } = loadConfig(env, makeFolder());
  expect(settingsFile.warnings).toEqual([]);
  expect(Object.keys(settings.mcpServers)).toEqual([file.replace('.json', '')]);
});

const Probe = z.object({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  timeoutSeconds: z.literal(5),
});
const Container = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  volumeMounts: z.array(z.object({ name: z.string() })),
});
const Deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.object({
        initContainers: z.array(Container),
        containers: z.array(Container),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});

test('on Kubernetes every process migrates first, starts with its settings, and is probed where it answers', () => {
  const { items } = z
    .object({ items: z.array(z.unknown()) })
    .parse(parse(read('deploy/kubernetes/countersign.yaml')));
  const pods = items.flatMap((item) => {
    const deployment = Deployment.safeParse(item);
    return deployment.success ? [deployment.data.spec.template.spec] : [];
  });
  expect(pods.map(({ containers }) => containers.map(({ args }) => args))).toEqual([
    [['gateway']],
    [['worker']],
  ]);
  for (const { initContainers, containers, volumes } of pods) {
    expect(initContainers.map(({ args }) => args)).toEqual([['migrate']]);
    for (const { env, ports, volumeMounts, ...probes } of containers) {
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      const config = loadConfig({ ...secrets, ...given }, makeFolder());
      const [port] = ports;
      expect([config.env.HEALTH_PORT, config.env.PORT]).toContain(port?.containerPort);
      expect(config.env.HOST).toBe('0.0.0.0');
      const { startupProbe, livenessProbe, readinessProbe } = probes;
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual(
        ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: port?.name })),
      );
      expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    }
  }
  const files = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(read('deploy/kubernetes/kustomization.yaml')));
  for (const file of files.resources)
    expect(existsSync(join(root, 'deploy/kubernetes', file))).toBe(true);
});

const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      uses: z.string().optional(),
      steps: z.array(z.object({ run: z.string().optional() })).default([]),
    }),
  ),
});

test('workflows run the check of a clean checkout, and only scripts that exist', () => {
  const jobs = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((path) =>
    Object.values(Workflow.parse(parse(read(path))).jobs),
  );
  const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(commands).toContain('.ci/run');
  const scripts = commands.flatMap((run) =>
    [...run.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name),
  );
  expect(scripts).toContain('build');
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  for (const { uses } of jobs)
    if (uses !== undefined) expect(existsSync(join(root, uses))).toBe(true);
});

test('the documents are exported as files whose links lead to files', () => {
  const out = join(makeFolder(), 'site');
  execFileSync(process.execPath, [join(root, 'scripts/docs.ts'), out], { cwd: root });
  const pages = globSync('docs/**/index.html', { cwd: out });
  expect(pages.length).toBeGreaterThan(25);
  const dead = pages.flatMap((page) =>
    [...readFileSync(join(out, page), 'utf8').matchAll(/(?:href|src|action)="(\/[^"#]*)/g)]
      .map(([, path = '']) => path)
      .filter((path) => {
        const file = join(out, path);
        return (
          !existsSync(file) ||
          (statSync(file).isDirectory() && !existsSync(join(file, 'index.html')))
        );
      })
      .map((path) => `${page}: ${path}`),
  );
  expect(dead).toEqual([]);
});

test('one command says who publishes, again if it changes', () => {
  const folder = makeFolder();
  for (const file of ['package.json', 'SECURITY.md']) cpSync(join(root, file), join(folder, file));
  const publish = (...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'scripts/publisher.ts'), ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  publish('old/one', 'old@example.com');
  publish('acme/countersign', 'security@example.com');
  const filled: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(filled).toEqual({
    ...manifest,
    repository: { type: 'git', url: 'git+https://github.com/acme/countersign.git' },
    homepage: 'https://github.com/acme/countersign#readme',
    bugs: { url: 'https://github.com/acme/countersign/issues' },
  });
  expect(readFileSync(join(folder, 'SECURITY.md'), 'utf8')).toContain(
    'privately to security@example.com**',
  );
  expect(() => publish('no repository')).toThrow();
});

// systemd accepts the units (where installed); both are sandboxed alike.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../../deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const units = {
  gateway: read('countersign.service'),
  worker: read('countersign-worker@.service'),
};

/** All but identity and command. */
const shared = (unit: string) =>
  unit
    .split('\n')
    .filter(
      (line) => !/^(?:# |Description=|After=|ExecStart=|Environment=HEALTH_PORT=)/.test(line),
    );

test('gateway and workers run as the same user, closed off in the same way, and differ in what they start', () => {
  expect(shared(units.worker)).toEqual(shared(units.gateway));
  for (const line of ['User=countersign', 'NoNewPrivileges=yes', 'ProtectSystem=strict'])
    expect(shared(units.gateway)).toContain(line);
  for (const [verb, unit] of Object.entries(units))
    expect(unit).toMatch(new RegExp(`^ExecStart=/opt/countersign/\\S+/countersign ${verb}$`, 'm'));
});

test('the example of what to scrape names the ports that the units and Compose listen on', () => {
  const page = readFileSync(join(folder, '../docs/observability.md'), 'utf8');
  const port = (n: number) =>
    /^Environment=HEALTH_PORT=(\S+)$/m.exec(units.worker)?.[1]?.replace('%i', String(n));
  const targets = ['3978', port(1), port(2)].map((one) => `'127.0.0.1:${one}'`).join(', ');
  expect(page).toContain(`targets: [${targets}]`);
  const compose = readFileSync(join(folder, '../compose.yaml'), 'utf8');
  const inside = /HEALTH_PORT: "(\d+)"/.exec(compose)?.[1];
  expect(page).toContain(`\`port: ${inside}\``);
});

test('systemd gives them longer to end than they take', () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(units.gateway)?.[1]);
  expect(seconds).toBeGreaterThan(20);
});

const verify = (...args: string[]) => promisify(execFile)('systemd-analyze', ['verify', ...args]);
const hasSystemd = await verify('--help').then(
  () => true,
  () => false,
);

test.skipIf(!hasSystemd)('systemd takes them without a warning', async () => {
  const place = mkdtempSync(join(tmpdir(), 'countersign-units-'));
  try {
    const names = ['countersign.service', 'countersign-worker@.service'];
    // systemd checks that the started program exists.
    for (const name of names)
      writeFileSync(
        join(place, name.replace('@', '@1')),
        read(name).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'),
      );
    const paths = names.map((name) => join(place, name.replace('@', '@1')));
    expect(await verify(...paths)).toEqual({ stdout: '', stderr: '' });
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('a worker answers on a port of its own', () => {
  expect(units.worker).toMatch(/^Environment=HEALTH_PORT=946%i$/m);
  expect(units.gateway).not.toContain('HEALTH_PORT');
});

test('a command runs as the units do, with the words that it was given', async () => {
  const place = mkdtempSync(join(tmpdir(), 'countersign-command-'));
  try {
    const double = join(place, 'systemd-run');
    writeFileSync(double, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const env = { PATH: `${place}:${process.env.PATH}` };
    const words = ['ask', 'Say "hello"', '--yes'];
    const { stdout } = await promisify(execFile)(join(folder, 'countersign'), words, { env });
    const [options = '', command = ''] = stdout.split('\n--\n');
    const program = /^ExecStart=(\S+)/m.exec(units.gateway)?.[1];
    expect(command.trimEnd().split('\n')).toEqual([program, ...words]);
    const given = options
      .split('\n')
      .map((option) => option.replace(/^--property=|^--(?=uid=)/, '').replace('uid=', 'User='))
      .filter((option) => !option.startsWith('--'));
    expect(given.length).toBeGreaterThan(3);
    expect(units.gateway.split('\n')).toEqual(expect.arrayContaining(given));
    const variables = [...options.matchAll(/^--setenv=(.+)$/gm)].map(([, one]) => one);
    expect(units.gateway).toContain(`Environment=${variables.join(' ')}\n`);
  } finally {
    rmSync(place, { recursive: true });
  }
});

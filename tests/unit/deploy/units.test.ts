// The systemd units: systemd itself has nothing against them where it is installed, and both are closed off alike.
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

/** What must be the same in both: all but who it is and what it starts. */
const shared = (unit: string) =>
  unit.split('\n').filter((line) => !/^(?:# |Description=|After=|ExecStart=)/.test(line));

test('gateway and workers run as the same user, closed off in the same way, and differ in what they start', () => {
  expect(shared(units.worker)).toEqual(shared(units.gateway));
  for (const line of ['User=countersign', 'NoNewPrivileges=yes', 'ProtectSystem=strict'])
    expect(shared(units.gateway)).toContain(line);
  for (const [verb, unit] of Object.entries(units))
    expect(unit).toMatch(new RegExp(`^ExecStart=/opt/countersign/\\S+/countersign ${verb}$`, 'm'));
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
    // It looks whether what they start is there.
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

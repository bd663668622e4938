import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { droppedLines, openLogSink } from '#app/log-sink.ts';
import { waitFor } from '../wait.ts';

const fileIn = (name: string) => join(mkdtempSync(join(tmpdir(), 'countersign-log-')), name);

test('lines are written whole and in order', async () => {
  const file = fileIn('log');
  const sink = openLogSink(file);
  const lines = Array.from({ length: 1000 }, (_, i) => `${i}\n`);
  for (const line of lines) sink.write(line);
  await waitFor('the last line', () => readFileSync(file, 'utf8').endsWith('999\n'));
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
});

test.skipIf(process.platform !== 'linux')(
  'lines for a full disk are dropped and counted',
  async () => {
    const fd = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(fd));
    const sink = openLogSink(fd);
    const before = droppedLines();
    sink.write('one\n');
    await waitFor('the first to fail', () => droppedLines() === before + 1);
    for (let i = 0; i < 9; i++) sink.write('more\n');
    await waitFor('the others to fail', () => droppedLines() >= before + 2);
  },
);

test('lines that come faster than a reader takes them are dropped, and the log says how many', async () => {
  const file = fileIn('pipe');
  execFileSync('mkfifo', [file]);
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  const sink = openLogSink(fd);
  const before = droppedLines();
  for (let i = 0; i < 3000; i++) sink.write(`${'x'.repeat(999)}\n`);
  const dropped = droppedLines() - before;
  expect(dropped).toBeGreaterThan(1500);
  const reader = new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK) });
  onTestFinished(() => void reader.destroy());
  let read = '';
  reader.setEncoding('utf8').on('data', (text: string) => {
    read += text;
  });
  await waitFor('the notice', () =>
    read.includes(`"msg":"${dropped} lines of this log could not be written`),
  );
  sink.write('after\n');
  await waitFor('what comes later', () => read.endsWith('after\n'));
  expect(droppedLines()).toBe(before + dropped);
});

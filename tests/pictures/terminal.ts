// Draws docs/terminal.png from the real command. Needs util-linux's `script`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { node, root } from '../setup/process.ts';

const request = `Create notes/standup.md saying "Standup at 9:30", then move it to archive/`;
const prompt = '[d]etails ›';

type Style = { bold: boolean; dim: boolean; color: string };
type Cell = { text: string; style: Style };
const plain: Style = { bold: false, dim: false, color: '' };
const colors: Record<string, string> = {
  31: '#f87171',
  32: '#4ade80',
  33: '#fbbf24',
  36: '#22d3ee',
};

function restyle(style: Style, code: string): Style {
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '22') return { ...style, bold: false, dim: false };
  if (code === '39') return { ...style, color: '' };
  if (code === '' || code === '0') return plain;
  return { ...style, color: colors[code] ?? style.color };
}

const sequence = new RegExp(`${String.fromCharCode(27)}\\[((\\?)?[\\d;]*)([A-Za-z])|[^]`, 'gu');

/** Knows the terminal adapter's sequences (ECMA-48). */
function readScreen(output: string): Cell[][] {
  const lines: Cell[][] = [[]];
  let [row, column, style] = [0, 0, plain];
  for (const [token, code, , kind] of output.matchAll(sequence)) {
    lines[row] ??= [];
    const line = lines[row] ?? [];
    const count = Number.parseInt(code ?? '', 10) || 1;
    if (kind === 'm') for (const one of (code ?? '').split(';')) style = restyle(style, one);
    else if (kind === 'A') row = Math.max(0, row - count);
    else if (kind === 'G') column = count - 1;
    else if (kind === 'K') line.splice(code === '2' ? 0 : column);
    else if (kind === 'J') {
      line.splice(column);
      lines.splice(row + 1);
    } else if (kind !== undefined) continue;
    else if (token === '\r') column = 0;
    else if (token === '\n') row += 1;
    else {
      while (line.length < column) line.push({ text: ' ', style: plain });
      line[column] = { text: token, style };
      column += 1;
    }
  }
  return lines.map((line) => Array.from(line, (cell) => cell ?? { text: ' ', style: plain }));
}

const toHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function drawCell({ text, style: { bold, dim, color } }: Cell): string {
  const look = [
    bold ? 'font-weight:bold' : '',
    dim ? 'opacity:.6' : '',
    color === '' ? '' : `color:${color}`,
  ];
  return `<span style="${look.filter((one) => one !== '').join(';')}">${toHtml(text)}</span>`;
}

async function runCommand(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-pictures-'));
  await writeFile(join(home, 'countersign.json'), '{}');
  await chmod(home, 0o711); // As root, the database runs as another user, who needs access.
  const command = `stty cols 96 rows 60; '${node}' src/main.ts ask '${request}'`;
  const program = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: {
      ...process.env,
      ...{ COUNTERSIGN_HOME: home, COUNTERSIGN_CONFIG: join(home, 'countersign.json') },
      ...{ COUNTERSIGN_TIMEZONE: 'Europe/Madrid', TERM: 'xterm-256color', LOG_LEVEL: 'warn' },
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    let answered = false;
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (answered || !output.includes(prompt)) return;
      answered = true;
      program.stdin.write('a\r');
    });
    const [code] = (await once(program, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The command ended with ${code}: ${output}`);
    return output;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

export async function drawTerminal(browser: Browser): Promise<void> {
  const lines = readScreen(await runCommand()).map((line) => line.map(drawCell).join(''));
  // The spinner of the start was cleared.
  while (lines.at(0)?.trim() === '') lines.shift();
  while (lines.at(-1)?.trim() === '') lines.pop();
  const typed = `<span style="opacity:.6">$</span> npx countersign ask '${toHtml(request)}'`;
  const page = await browser.newPage({ viewport: { width: 940, height: 1 }, deviceScaleFactor: 2 });
  try {
    await page.setContent(
      `<body style="margin:0;background:#18191c;color:#ececf1"><pre style="margin:0;padding:24px;font:15px/1.45 'DejaVu Sans Mono',monospace">${[typed, '', ...lines].join('\n')}</pre>`,
    );
    const png = await page.screenshot({ fullPage: true });
    await sharp(png).png({ palette: true, effort: 10 }).toFile(join(root, 'docs/terminal.png'));
  } finally {
    await page.close();
  }
}

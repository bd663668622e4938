// Runs the command on an older Node, which the launcher replaces.
import { spawn } from 'node:child_process';
import { type Exit, node, type Output } from './process.ts';

const older = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.0"})',
];

export function launchOnOlderNode(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  until?: RegExp,
  signal?: NodeJS.Signals,
): Promise<Exit & Output> {
  const child = spawn(node, [...older, command, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (signal !== undefined && until?.test(output.stdout) === true) child.kill(signal);
    });
  }
  return new Promise<Exit & Output>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, ended) => resolve({ code, signal: ended, ...output }));
  });
}

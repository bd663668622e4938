// Builds a Dockerfile without a daemon, a folder per stage; refuses unknown syntax.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Paths are local. */
export type Image = {
  root: string;
  env: Record<string, string>;
  cwd: string;
  user: string;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
};

type Stage = Image & { name: string; workdir: string };
type Instruction = { word: string; rest: string };

const Words = z.array(z.string().min(1)).min(1);

function parse(text: string): Instruction[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      if (word === undefined || rest === undefined || rest.endsWith('\\'))
        throw new Error(`not understood: ${line}`);
      return { word, rest };
    });
}

/** Only paths after a `!`. */
function readAllowed(context: string): string[] {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*' || rules.slice(1).some((rule) => !/^![\w.-]+$/.test(rule)))
    throw new Error('.dockerignore is to be "*" and then "!name" lines');
  return rules.slice(1).map((rule) => rule.slice(1));
}

const within = (stage: Stage, path: string) => join(stage.root, resolve(stage.workdir, path));
const mapped = (stage: Stage, word: string) => (word.startsWith('/') ? within(stage, word) : word);

function copy(stage: Stage, words: string[], stages: Stage[], context: string): void {
  const from = words[0]?.startsWith('--from=') ? words[0].slice('--from='.length) : null;
  const [target, ...names] = words.slice(from === null ? 0 : 1).reverse();
  if (target === undefined || names.length === 0) throw new Error('COPY needs a source');
  const to = within(stage, target);
  const options = { recursive: true, verbatimSymlinks: true };
  if (from !== null) {
    const source = stages.find(({ name }) => name === from);
    if (source === undefined || names.length !== 1) throw new Error(`no stage ${from}`);
    cpSync(within(source, names[0] ?? ''), to, options);
    return;
  }
  const allowed = readAllowed(context);
  for (const name of names) {
    if (name !== '.' && !allowed.includes(name)) throw new Error(`${name} is ignored`);
    for (const path of name === '.' ? allowed : [name]) {
      const source = join(context, path);
      // Paths allowed by `.dockerignore` may be missing, named ones may not.
      if (name === '.' && !existsSync(source)) continue;
      const folder = name === '.' || target.endsWith('/');
      cpSync(source, folder ? join(to, basename(path)) : to, options);
    }
  }
}

async function run(stage: Stage, line: string): Promise<void> {
  if (/["'$|;\\<>*]/.test(line)) throw new Error(`RUN is to be plain words: ${line}`);
  for (const part of line.split(' && ')) {
    const [program = '', ...args] = part.trim().split(/\s+/);
    if (program === 'chown') {
      const [owner, ...paths] = args;
      if (owner !== 'node:node') throw new Error(`not understood: RUN ${part}`);
      for (const path of paths) if (!existsSync(within(stage, path))) throw new Error(`no ${path}`);
      continue;
    }
    if (program === 'ln') {
      const [option, target = '', link = ''] = args;
      if (option !== '-s' || args.length !== 3) throw new Error(`not understood: RUN ${part}`);
      mkdirSync(dirname(within(stage, link)), { recursive: true });
      symlinkSync(within(stage, target), within(stage, link));
      continue;
    }
    if (!['npm', 'node'].includes(program)) throw new Error(`not understood: RUN ${part}`);
    await promisify(execFile)(
      program,
      args.map((word) => mapped(stage, word)),
      { cwd: join(stage.root, stage.workdir), env: { ...process.env, ...stage.env } },
    );
  }
}

const begin = (root: string, name: string): Stage => ({
  name,
  root,
  workdir: '/',
  env: {},
  cwd: root,
  user: 'root',
  entrypoint: [],
  command: [],
  healthcheck: [],
});

async function follow(stage: Stage, instruction: Instruction, stages: Stage[], context: string) {
  const { word, rest } = instruction;
  const list = (text: string) => Words.parse(JSON.parse(text)).map((item) => mapped(stage, item));
  switch (word) {
    case 'WORKDIR':
      stage.workdir = resolve(stage.workdir, rest);
      stage.cwd = join(stage.root, stage.workdir);
      mkdirSync(stage.cwd, { recursive: true });
      return;
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(\S+)$/.exec(rest) ?? [];
      if (name === '') throw new Error(`not understood: ENV ${rest}`);
      stage.env[name] = mapped(stage, value);
      return;
    }
    case 'COPY':
      return copy(stage, rest.split(/\s+/), stages, context);
    case 'RUN':
      return await run(stage, rest);
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = list(rest);
      return;
    case 'CMD':
      stage.command = list(rest);
      return;
    case 'HEALTHCHECK': {
      const [, command] = /^(?:--[a-z-]+=\d+s )*CMD (\[.+\])$/.exec(rest) ?? [];
      if (command === undefined) throw new Error(`not understood: HEALTHCHECK ${rest}`);
      stage.healthcheck = list(command);
      return;
    }
    case 'VOLUME':
      if (!existsSync(within(stage, rest))) throw new Error(`no folder ${rest}`);
      return;
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return;
    default:
      throw new Error(`unknown instruction: ${word} ${rest}`);
  }
}

/** @throws Error about the first instruction that is unknown or fails */
export async function buildImage(context: string, place: string): Promise<Image> {
  const stages: Stage[] = [];
  for (const instruction of parse(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    const { word, rest } = instruction;
    if (word === 'FROM') {
      const [, base, name = 'final'] = /^(\S+)(?: AS (\w+))?$/.exec(rest) ?? [];
      if (!/^node:24-slim(?:@sha256:[0-9a-f]{64})?$/.test(base ?? ''))
        throw new Error(`another base than node:24-slim: ${rest}`);
      const root = join(place, name);
      mkdirSync(root, { recursive: true });
      stages.push(begin(root, name));
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${word} before FROM`);
    await follow(stage, instruction, stages, context);
  }
  const image = stages.at(-1);
  if (image === undefined) throw new Error('no FROM');
  return image;
}

/** Detects writes outside volumes. */
export function listFiles({ root, cwd }: Image): string[] {
  const own = relative(root, cwd);
  return globSync('**/*', { cwd: root, exclude: (name) => name === own || dirname(name) === own });
}

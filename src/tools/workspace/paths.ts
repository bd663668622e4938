// Valid workspace paths. Pure, so that a plan with a bad path is refused when proposed.
import { posix } from 'node:path';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { trimTail } from '#domain/words.ts';

const maxPath = 2000;
const maxName = 255;
const temporary = /^\.countersign-[0-9a-f]{12}\.tmp$/;
/** A root folder that no path may enter: Countersign's files, and other organisations' folders. */
export const reservedFolder = '.countersign';

export type PathProblem = { code: ErrorCode; message: string };

/** Why a path is invalid, judged by its text, or null. */
export function findPathProblem(path: string): PathProblem | null {
  const shown = JSON.stringify(path.length <= 80 ? path : `${path.slice(0, 77)}…`);
  const invalid = (message: string): PathProblem => ({ code: 'invalid_arguments', message });
  const outside: PathProblem = {
    code: 'path_outside_workspace',
    message: `The path ${shown} leads outside the workspace; give one relative to it, such as notes/today.md.`,
  };
  if (path === '') return invalid('The path is empty; give one such as notes/today.md.');
  if (path.includes('\u0000') || !path.isWellFormed())
    return invalid(`The path ${shown} contains characters no file name can have.`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return outside;
  if (path.includes('\\')) {
    const leaves = path.startsWith('\\') || path.split(/[\\/]/).includes('..');
    return leaves ? outside : invalid(`The path ${shown} has a backslash; use / between folders.`);
  }
  if (path.split('/').some(isTemporary))
    return invalid(`The name in ${shown} is one that unfinished writes have; use another one.`);
  const normal = posix.normalize(path);
  if (normal === '..' || normal.startsWith('../') || isReserved(normal)) return outside;
  if (Buffer.byteLength(path) > maxPath)
    return invalid(`The path is too long: at most ${maxPath} bytes.`);
  if (path.split('/').some((name) => Buffer.byteLength(name) > maxName))
    return invalid(`A name in the path ${shown} is too long: at most ${maxName} bytes.`);
  return null;
}

/**
 * The shortest form, without a trailing slash; `.` is the workspace.
 * @throws CountersignError path_outside_workspace or invalid_arguments
 */
export function toWorkspacePath(path: string): string {
  const problem = findPathProblem(path);
  if (problem !== null) throw new CountersignError(problem.code, problem.message);
  const normal = trimTail(posix.normalize(path), /\//);
  return normal === '' ? '.' : normal;
}

/** A check that the arguments `names` are valid workspace paths. */
export function checkPaths(
  ...names: string[]
): (args: { [key: string]: unknown }) => PathProblem | null {
  return (args) => {
    for (const name of names) {
      const path = args[name];
      const problem = typeof path === 'string' ? findPathProblem(path) : null;
      if (problem !== null) return problem;
    }
    return null;
  };
}

/** Names used while writing; these files aren't part of the workspace. */
export function isTemporary(name: string): boolean {
  return temporary.test(name);
}

/** Whether a normalised path enters the reserved folder, in any spelling that file systems accept. */
export function isReserved(path: string): boolean {
  const [first = ''] = path.split(/[\\/]/, 1);
  return (
    first
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase() === reservedFolder
  );
}

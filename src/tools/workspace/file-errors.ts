// Workspace system errors in everyday words.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { passesOf, systemCode } from '../failures.ts';

const sentences: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path} in the workspace. List the workspace to see its files.`,
  EACCES: (path) => `The workspace does not allow access to ${path}; check its permissions.`,
  EPERM: (path) => `The workspace does not allow access to ${path}; check its permissions.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
  ENOTDIR: (path) => `A part of ${path} is a file, so nothing can be inside it.`,
  ELOOP: (path) => `${path} was replaced by a link while it was being used.`,
  ENOSPC: (path) => `The disk is full, so ${path} can't be written. Free some space and retry.`,
  EROFS: (path) => `The workspace is read-only, so ${path} can't be changed.`,
  ENOTEMPTY: (path) => `The folder ${path} is not empty.`,
  EINVAL: (path) => `A folder cannot be moved into itself: ${path}.`,
  ENAMETOOLONG: (path) => `The name ${path} is too long for the file system.`,
};

export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    const sentence = sentences[systemCode(error) ?? '']?.(path);
    throw new CountersignError('tool_failed', sentence ?? `${path}: ${errorMessage(error)}`, {
      cause: error,
      passesAfterMs: passesOf(error),
    });
  }
}

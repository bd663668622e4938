// Checks that all workers share one folder.
import type { LiveBackend } from '#db/backends.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { listOf } from '#domain/words.ts';
import { brokenCheck } from './results.ts';

const shareIt =
  'Mount one folder in every process, name it in COUNTERSIGN_WORKSPACE, and restart the worker.';

/** @param other a back end with another folder */
export const otherWorkspace = (folder: string, other: string): string =>
  `The workspace ${folder} is another folder than that of ${other}, so this worker runs no step that uses files or calendars. ${shareIt}`;

export function judgeWorkspaces(
  backends: Pick<LiveBackend, 'id' | 'workspace' | 'operations'>[],
): CheckResult[] {
  const folders = Map.groupBy(
    backends.filter(({ workspace }) => workspace !== null),
    ({ workspace }) => workspace,
  );
  if (folders.size < 2) return [];
  const groups = [...folders.values()].map((group) => listOf(group.map(({ id }) => id)));
  const text = `Workers have different folders: ${groups.join('; ')}. Only those of one folder run steps that use files or calendars.`;
  return [brokenCheck('Workspace', text, shareIt)];
}

// Summarises a group: gather partitions, narrow to a budget, write up.
import type { StepDraft } from '#domain/plan/step-content.ts';
import { countOf } from '#domain/words.ts';

const gatherTokens = 4000;
const narrowTokens = 8000;

export const summaryOperations = ['draft_gather', 'draft_narrow', 'draft_finalise'] as const;

export const isInSummary = (group: string, id = ''): boolean =>
  id.startsWith(`${group}-gather`) ||
  ['narrow', 'summary', 'summary-file'].some((name) => id === `${group}-${name}`);

export type SummaryRequest = {
  task: string;
  /** Where to save it; otherwise the last step returns it. */
  path?: string | undefined;
  totals?: string[];
};

/** @param partitions none if the steps are only tagged with the group's ID */
export function summariseGroup(
  group: string,
  partitions: string[],
  { task, path, totals = [] }: SummaryRequest,
): (StepDraft & { id: string })[] {
  const draft = { tool: 'draft' };
  const gathers = (partitions.length === 0 ? [null] : partitions).map((partition, index) => ({
    ...draft,
    id: `${group}-gather${partitions.length === 0 ? '' : `-${index + 1}`}`,
    description: `Gather what ${partition ?? group} gave`,
    operation: 'gather',
    args: {
      ...(partition === null ? { tag: group } : { partition }),
      budget_tokens: gatherTokens,
    },
  }));
  const [only] = gathers;
  const narrow = {
    ...draft,
    id: `${group}-narrow`,
    description: `Narrow ${countOf(gathers.length, 'draftbook')} to ${narrowTokens.toLocaleString('en-US')} tokens`,
    operation: 'narrow',
    args: { from: gathers.map(({ id }) => ({ $from: id, path: '' })), budget_tokens: narrowTokens },
  };
  const book = gathers.length === 1 && only !== undefined ? only.id : narrow.id;
  const finalise = {
    ...draft,
    id: `${group}-summary`,
    description: `Write the summary of ${group}`,
    operation: 'finalise',
    args: { draftbook: { $from: book, path: '' }, task, ...(totals.length > 1 ? { totals } : {}) },
  };
  return [
    ...gathers,
    ...(gathers.length === 1 ? [] : [narrow]),
    finalise,
    ...(path === undefined
      ? []
      : [
          {
            id: `${group}-summary-file`,
            description: `Write the summary to ${path}`,
            tool: 'workspace',
            operation: 'write',
            args: { path, content: { $from: finalise.id, path: '/text' } },
          },
        ]),
  ];
}

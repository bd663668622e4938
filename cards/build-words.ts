// Words of the plan builder on all surfaces.
import { quoteWords } from '#domain/shown-text.ts';

export const buildWords = {
  title: 'Build a plan',
  command: ['new', 'build a plan by form'],
  empty:
    'Choose what the first step does and fill it in. Nothing runs before the plan is approved.',
  first: 'First step',
  next: 'Next step',
  search: 'Search: write a file, ask someone, run a playbook',
  searchFor: 'Find operations',
  find: 'Find',
  fill: 'Fill in',
  step: 'Step',
  other: 'Or another value',
  notMember:
    'That person is not in this conversation. Choose someone who is, or type their address.',
  redraw: 'Show its fields',
  add: 'Add step',
  save: 'Save step',
  editTitle: 'Edit a step',
  editStep: ({ label }: { label: string }) => `Edit ${label}`,
  proposeEdit: 'Propose change',
  nextPage: 'Next',
  undo: 'Undo',
  resume: 'Continue the open step',
  edit: 'Edit',
  remove: 'Remove',
  up: 'Move up',
  down: 'Move down',
  propose: 'Propose',
  back: 'Back',
  planTitle: 'Title (optional)',
  repeats: 'Runs',
  from: 'First run',
  fromHelp: 'If it repeats: tomorrow at 9:00, 2026-12-03 09:00',
  waits: 'Waits for',
  at: 'Not before',
  atHelp: 'tomorrow at 9:00, 2026-12-03 09:00',
  noFields: 'This operation takes no arguments.',
  sources: ({ sources }: { sources: string[] }) =>
    `Outputs of earlier steps that you can type into a field: ${sources.join(' ')}`,
  addItem: ({ label }: { label: string }) => `Add to ${label}`,
  removeItem: ({ label, count }: { label: string; count: number }) => `Remove ${label} ${count}`,
  kept: ({ label, characters }: { label: string; characters: number }) =>
    `${label}: ${characters.toLocaleString('en-US')} characters, kept. Too long to edit here.`,
  page: ({ page, pages }: { page: number; pages: number }) => `Page ${page} of ${pages}`,
  notHere:
    'Nothing was proposed: Countersign is not in this conversation. Type @Countersign there, add it, and propose again.',
  proposed: 'Proposed. The plan is below.',
  noMatch: 'No operation matches. Try other words.',
  use: ({ typed }: { typed: string }) => `Use ${quoteWords(typed, 60)}`,
} as const;

// Exit codes of `countersign ask`.

export const exitCodes = {
  /** Carried out, or answered without a plan. */
  done: 0,
  /** The plan failed, or an error stopped it. */
  failed: 1,
  /** Invalid command line. */
  usage: 2,
  /** Rejected or cancelled. */
  refused: 3,
  /** No one here can answer (no `--yes`, the input ended). */
  needsPerson: 4,
  /** Unreadable or impossible request, or failed planning. */
  noPlan: 5,
  /** Ctrl-C; the plan continues. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

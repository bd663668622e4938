// Exit codes of `countersign ask` for scripts.

export const exitCodes = {
  /** The plan was carried out, or the question was answered without one. */
  done: 0,
  /** The plan failed, or an error stopped it. */
  failed: 1,
  /** Invalid command line. */
  usage: 2,
  /** A person rejected or cancelled the plan; nothing more will run. */
  refused: 3,
  /** It waits for a person, and none can be asked here (no `--yes`, the input ended). */
  needsPerson: 4,
  /** No plan: the request can't be read or done, or planning failed. */
  noPlan: 5,
  /** Ctrl-C. The plan continues without this terminal. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

// `countersign link`: links accounts to one person.
import { describeLink } from '#cards/chat-words.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import type { Service } from '#domain/service.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { TerminalIo } from './screen.ts';
import { inSession, printJson } from './session.ts';

export type LinkOptions = {
  user: string;
  timezone: string;
  /** Nothing, a code, `show` or `remove`. */
  text?: string;
  json?: boolean;
};

/** @returns an exit code */
export function link(
  service: Service,
  { text = '', ...options }: LinkOptions,
  io: TerminalIo,
): Promise<ExitCode> {
  return inSession(service, options, io, async (session) => {
    const outcome = await service.link(readLinkCommand(text), session.actor);
    if (options.json === true) return printJson(session, outcome);
    session.say(describeLink(outcome, 'countersign link'));
    return exitCodes.done;
  });
}

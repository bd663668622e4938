// The context of one command.
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import { drawQuote } from '#cards/plain.ts';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { WantedModes } from '#domain/plan/modes.ts';
import type { Service } from '#domain/service.ts';
import { escapeJson } from '#domain/shown-text.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { createScreen, type Screen, type TerminalIo } from './screen.ts';

export type AskOptions = {
  text: string;
  user: string;
  /** IANA. */
  timezone: string;
  modes?: WantedModes;
  /** Approves the plan as shown. */
  yes?: boolean;
  /** An object per line; the outcome last. */
  json?: boolean;
  /** Whether others carry on after this process; default: yes. */
  continues?: () => boolean;
  /** Default 150. */
  poll_ms?: number;
  /** For a line from a pipe; default 5,000. */
  answer_timeout_ms?: number;
};

export type Session = {
  service: Service;
  options: AskOptions;
  actor: Actor;
  screen: Screen;
  signal: AbortSignal;
  /** A person can answer. */
  interactive: boolean;
  run_id: string | null;
  plan_id: string | null;
  ending: { status?: string; text: string };
  /** Null without an answer. */
  ask(prompt: string): Promise<string | null>;
  /** For people; not in JSON mode. */
  say(...lines: string[]): void;
  /** For machines; JSON mode only. */
  event(name: string, data: Record<string, unknown>): void;
  /** Repaints on a TTY; elsewhere prints changes. */
  paint(lines: string[], plain: string): void;
  unpaint(): void;
  pause(): Promise<void>;
  close(): void;
};

/** Else prints `plain`, at most once a second. */
function createPainter(screen: Screen) {
  // Counting wrapped lines needs a width.
  const sized = screen.output.columns !== 0;
  const repaint = screen.tty && sized ? createLogUpdate(screen.output, { showCursor: true }) : null;
  let last = '';
  let printedAt = Number.NEGATIVE_INFINITY;
  return {
    paint(lines: string[], plain: string) {
      if (repaint !== null) return repaint(lines.map(screen.guard).join('\n'));
      if (plain === last || performance.now() - printedAt < 1000) return;
      last = plain;
      printedAt = performance.now();
      screen.print(`  ${plain}`);
    },
    unpaint() {
      repaint?.clear();
      repaint?.done();
    },
  };
}

function fitPrompt(prompt: string, screen: Screen): string {
  const short = '  › ';
  if (stringWidth(prompt) < screen.width() - 8) return prompt;
  const choices = prompt.replace(/›\s*$/, '').trim().split(/ {2,}/);
  return `${choices.map((choice) => `  ${choice}\n`).join('')}${short}`;
}

export function openSession(service: Service, options: AskOptions, io: TerminalIo): Session {
  const screen = createScreen(io);
  const own = new AbortController();
  const signal = AbortSignal.any([io.interrupt, own.signal]);
  const json = options.json === true;
  const painter = createPainter(screen);
  const lines = createLineReader(io, {
    interrupt: () => own.abort(),
    signal,
    timeout_ms: options.answer_timeout_ms ?? 5000,
    silent: json,
  });
  return {
    service,
    options,
    actor: person(options.user, 'terminal'),
    screen,
    signal,
    interactive: io.input.isTTY === true && !json,
    run_id: null,
    plan_id: null,
    ending: { text: '' },
    ask: (prompt) => lines.ask(screen.guard(fitPrompt(prompt, screen))),
    say: (...words) => {
      if (!json) screen.print(...words);
    },
    event: (name, data) => {
      if (json) screen.output.write(`${escapeJson(JSON.stringify({ event: name, ...data }))}\n`);
    },
    paint: (drawn, plain) => {
      if (!json) painter.paint(drawn, plain);
    },
    unpaint: () => painter.unpaint(),
    pause: () => sleep(options.poll_ms ?? 150, undefined, { signal }),
    close: () => lines.close(),
  };
}

export async function look(session: Session, planId: string): Promise<PlanView> {
  const { user, timezone } = session.options;
  return viewPlan(await session.service.card(planId, { user, timezone }));
}

export function sentenceOf({ sentence, quotes }: Pick<PlanView, 'sentence' | 'quotes'>): string {
  return [sentence, ...quotes.map(drawQuote)].filter((part) => part !== '').join(' ');
}

export function planData(view: PlanView): Record<string, unknown> {
  return {
    plan_id: view.plan_id,
    version: view.version,
    digest: view.digest,
    status: view.status,
    title: view.title,
    planner: view.planner,
    state: view.state.words,
    sentence: sentenceOf(view),
    sections: sectionsData(view),
  };
}

export function sectionsData({ sections }: Pick<PlanView, 'sections'>): unknown[] {
  return sections.map(({ kind, lines, hidden }) => ({
    kind,
    lines: lines.map(({ lead, text, note }) => ({ lead, text, note })),
    hidden,
  }));
}

export function printJson(session: Session, value: unknown): ExitCode {
  session.screen.output.write(`${escapeJson(JSON.stringify(value))}\n`);
  return exitCodes.done;
}

/** Rethrows other errors. */
export function tellError(session: Session, error: unknown): CountersignError {
  if (!(error instanceof CountersignError)) throw error;
  session.event('error', { code: error.code, message: error.message });
  session.say(...drawLines(error.message, session.screen));
  return error;
}

/** Reports errors. @param onError adds to one */
export async function inSession(
  service: Service,
  options: Omit<AskOptions, 'text'>,
  io: TerminalIo,
  work: (session: Session) => Promise<ExitCode>,
  onError?: (session: Session, error: CountersignError) => void,
): Promise<ExitCode> {
  const session = openSession(service, { ...options, text: '' }, io);
  try {
    return await work(session);
  } catch (cause) {
    const error = tellError(session, cause);
    onError?.(session, error);
    return error.code === 'invalid_request' ? exitCodes.usage : exitCodes.failed;
  } finally {
    session.close();
  }
}

// A TTY gets a reader per question, leaving it to the shell; a pipe one reader, to lose no line.
type LineReader = {
  /** Null at the end or on timeout. */
  ask(prompt: string): Promise<string | null>;
  close(): void;
};

function askTty(
  { input, output }: TerminalIo,
  prompt: string,
  interrupt: () => void,
  signal: AbortSignal,
): Promise<string | null> {
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    const stop = () => reader.close();
    let answer: string | null = null;
    signal.addEventListener('abort', stop, { once: true });
    reader.on('SIGINT', interrupt);
    reader.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
    });
    reader.question(prompt, (line) => {
      answer = line;
      reader.close();
    });
  });
}

function createQueue(input: TerminalIo['input']) {
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  const reader: Interface = createInterface({ input, terminal: false });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    ended = true;
    wake();
  });
  return {
    close: () => reader.close(),
    /** Null at the end, after `timeout_ms`, or on abort. */
    async take(timeout_ms: number, signal: AbortSignal): Promise<string | null> {
      const timer = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]);
      while (lines.length === 0 && !ended && !timer.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return lines.shift() ?? null;
    },
  };
}

/** For a pipe, prints prompts with their answer. */
function createLineReader(
  io: TerminalIo,
  options: { interrupt: () => void; signal: AbortSignal; timeout_ms: number; silent: boolean },
): LineReader {
  const { interrupt, signal, timeout_ms, silent } = options;
  let queue: ReturnType<typeof createQueue> | null = null;
  return {
    async ask(prompt) {
      if (signal.aborted) return null;
      if (io.input.isTTY === true && !silent) return askTty(io, prompt, interrupt, signal);
      queue ??= createQueue(io.input);
      const line = await queue.take(timeout_ms, signal);
      if (!silent && line !== null) io.output.write(`${prompt}${line}\n`);
      return line;
    },
    close: () => queue?.close(),
  };
}

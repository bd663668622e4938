// What one `ask` carries along: the service, who asks, where words go, and how it is interrupted.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { type Actor, person } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { Service } from '#contracts/service.ts';
import { drawLines } from './draw.ts';
import { createLineReader } from './lines.ts';
import { createScreen, type Screen, type TerminalIo } from './screen.ts';

export type AskOptions = {
  text: string;
  user: string;
  /** IANA zone in which times are shown. */
  timezone: string;
  /** Approve the plan as soon as it is shown. */
  yes?: boolean;
  /** One JSON object a line instead of words, the last one the outcome. */
  json?: boolean;
  /** Milliseconds between looks at the plan; default 150. */
  poll_ms?: number;
  /** Milliseconds to wait for a line of a pipe; default 5,000. */
  answer_timeout_ms?: number;
};

export type Session = {
  service: Service;
  options: AskOptions;
  actor: Actor;
  screen: Screen;
  signal: AbortSignal;
  /** A person sits at the other end. */
  interactive: boolean;
  run_id: string | null;
  plan_id: string | null;
  /** How it ended, for the last line of JSON. */
  ending: { status?: string; text: string };
  /** Asks for a line; null when nobody answers. Choices that do not fit on the line stand above it. */
  ask(prompt: string): Promise<string | null>;
  /** Text for people; nothing in JSON mode. */
  say(...lines: string[]): void;
  /** A fact for machines; nothing unless in JSON mode. */
  event(name: string, data: Record<string, unknown>): void;
  /** Repaints on a TTY; prints what changed elsewhere. */
  paint(lines: string[], plain: string): void;
  /** Ends repainting: what stands there is cleared. */
  unpaint(): void;
  pause(): Promise<void>;
  close(): void;
};

/** Prints `plain` at most once a second where nothing can be repainted. */
function createPainter(screen: Screen) {
  // Repainting counts wrapped lines, which it cannot without a width.
  const sized = screen.output.columns !== 0;
  const repaint = screen.tty && sized ? createLogUpdate(screen.output, { showCursor: true }) : null;
  let last = '';
  let printedAt = Number.NEGATIVE_INFINITY;
  return {
    paint(lines: string[], plain: string) {
      if (repaint !== null) return repaint(lines.join('\n'));
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
    ask: (prompt) => lines.ask(fitPrompt(prompt, screen)),
    say: (...words) => {
      if (!json) screen.print(...words);
    },
    event: (name, data) => {
      if (json) screen.output.write(`${JSON.stringify({ event: name, ...data })}\n`);
    },
    paint: (drawn, plain) => {
      if (!json) painter.paint(drawn, plain);
    },
    unpaint: () => painter.unpaint(),
    pause: () => sleep(options.poll_ms ?? 150, undefined, { signal }),
    close: () => lines.close(),
  };
}

/** The plan as it is now. */
export async function look(session: Session, planId: string): Promise<PlanView> {
  const { user, timezone } = session.options;
  return viewPlan(await session.service.card(planId, { user, timezone }));
}

/** What a machine needs to know about a plan that is shown. */
export function planData(view: PlanView): Record<string, unknown> {
  return {
    plan_id: view.plan_id,
    version: view.version,
    digest: view.digest,
    status: view.status,
    title: view.title,
    planner: view.planner,
    state: view.state.words,
    sentence: view.sentence,
    sections: sectionsData(view),
  };
}

/** The sections of a card that is shown. */
export function sectionsData({ sections }: Pick<PlanView, 'sections'>): unknown[] {
  return sections.map(({ kind, lines, hidden }) => ({
    kind,
    lines: lines.map(({ lead, text, note }) => ({ lead, text, note })),
    hidden,
  }));
}

/** Tells an error that has a sentence for people; anything else is thrown on. */
export function tellError(session: Session, error: unknown): CountersignError {
  if (!(error instanceof CountersignError)) throw error;
  session.event('error', { code: error.code, message: error.message });
  session.say(...drawLines(error.message, session.screen));
  return error;
}

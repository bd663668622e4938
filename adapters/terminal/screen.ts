// Where text goes: width, colour and line breaking for one output stream. Colour only on a TTY, never with NO_COLOR.
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

type Format = Parameters<typeof styleText>[0];

export type Output = NodeJS.WritableStream & {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
};
type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The streams and the surroundings of one command; nothing is read from the process itself. */
export type TerminalIo = {
  input: Input;
  output: Output;
  env: Record<string, string | undefined>;
  /** Aborts when the person presses Ctrl-C. */
  interrupt: AbortSignal;
};

export type Screen = {
  tty: boolean;
  output: Output;
  /** Columns of text, for this moment: a window can be resized. */
  width(): number;
  /** Lines of the window, for this moment. */
  height(): number;
  style(format: Format, text: string): string;
  /** Writes lines; none may be wider than `width`. */
  print(...lines: string[]): void;
};

const widest = 100;
const narrowest = 20;

export function createScreen({ output, env }: Pick<TerminalIo, 'output' | 'env'>): Screen {
  const tty = output.isTTY === true;
  const color = tty && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return {
    tty,
    output,
    // A pseudo-terminal nobody has sized yet reports 0 columns.
    width: () => Math.max(narrowest, Math.min(widest, output.columns || 80)),
    height: () => output.rows || 24,
    style: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
    print: (...lines) => {
      output.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
    },
  };
}

/** `text` broken into lines of at most `width` columns; words longer than a line are split. */
export function wrapText(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(8, width), { hard: true }).split('\n');
}

/** `text` followed by blanks up to `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Wrapped lines, the first after `first`, the others after `rest`. */
export function hangText(text: string, first: string, rest: string, width: number): string[] {
  return wrapText(text, width - stringWidth(rest)).map(
    (line, i) => (i === 0 ? first : rest) + line,
  );
}

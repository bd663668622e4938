// Width, colour and line breaking for one output stream. Colour only on a TTY, never with NO_COLOR.
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { guardDrawn, isolateText } from '#domain/shown-text.ts';

type Format = Parameters<typeof styleText>[0];

export type Output = NodeJS.WritableStream & {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
};
type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** A command's streams and environment; nothing is read from the process itself. */
export type TerminalIo = {
  input: Input;
  output: Output;
  env: Record<string, string | undefined>;
  /** Aborts on Ctrl-C. */
  interrupt: AbortSignal;
};

export type Screen = {
  tty: boolean;
  output: Output;
  /** Current columns: the window can be resized. */
  width(): number;
  /** Current lines of the window. */
  height(): number;
  style(format: Format, text: string): string;
  /** Keeps our own styles and no other escape sequence. */
  guard(line: string): string;
  /** Writes lines, none wider than `width`. */
  print(...lines: string[]): void;
};

/** Styles written by `style`. */
const esc = '\u001b';
const styles = new RegExp(`(${esc}\\[(?:[12]|22|3[1-69]|39)m)`, 'u');
const widest = 100;
const narrowest = 20;

export function createScreen({ output, env }: Pick<TerminalIo, 'output' | 'env'>): Screen {
  const tty = output.isTTY === true;
  const color = tty && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const guardText = (text: string) => isolateText(guardDrawn(text));
  const guard = (line: string) =>
    color
      ? line
          .split(styles)
          .map((part) => (styles.test(part) ? part : guardText(part)))
          .join('')
      : guardText(line);
  return {
    tty,
    output,
    guard,
    // An unsized pseudo-terminal reports 0 columns.
    width: () => Math.max(narrowest, Math.min(widest, output.columns || 80)),
    height: () => output.rows || 24,
    style: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
    print: (...lines) => {
      output.write(lines.map((line) => `${guard(line.trimEnd())}\n`).join(''));
    },
  };
}

/** Breaks `text` into lines of at most `width` columns; splits long words. */
export function wrapText(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(8, width), { hard: true }).split('\n');
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Wrapped lines, the first after `first`, the others after `rest`. */
export function hangText(text: string, first: string, rest: string, width: number): string[] {
  return wrapText(text, width - stringWidth(rest)).map(
    (line, i) => (i === 0 ? first : rest) + line,
  );
}

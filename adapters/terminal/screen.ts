// Width, colour and line breaking of an output stream.
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

/** Instead of the process's own. */
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
  /** Windows can be resized. */
  width(): number;
  height(): number;
  style(format: Format, text: string): string;
  /** Keeps only our own escape sequences. */
  guard(line: string): string;
  print(...lines: string[]): void;
};

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
    // Unsized pseudo-terminals report 0.
    width: () => Math.max(narrowest, Math.min(widest, output.columns || 80)),
    height: () => output.rows || 24,
    style: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
    print: (...lines) => {
      output.write(lines.map((line) => `${guard(line.trimEnd())}\n`).join(''));
    },
  };
}

/** Splits long words. */
export function wrapText(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(8, width), { hard: true }).split('\n');
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** `first` and `rest` lead the lines. */
export function hangText(text: string, first: string, rest: string, width: number): string[] {
  return wrapText(text, width - stringWidth(rest)).map(
    (line, i) => (i === 0 ? first : rest) + line,
  );
}

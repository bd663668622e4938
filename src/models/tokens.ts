// Estimates a text's tokens with bounded work.
import type { Tiktoken } from 'js-tiktoken/lite';

const slice = 400;
/** Encoding is quadratic in an unbroken run (Chinese has no spaces). */
const longRun = /[\p{L}\p{M}\p{N}]{32}|\s{32}|[^\p{L}\p{M}\p{N}\s]{32}/u;
const sliceOfRun = 8;
/** Longer text is extrapolated. */
const maxEncoded = 60_000;

let encoder: Promise<Tiktoken> | undefined;

async function loadEncoder(): Promise<Tiktoken> {
  const [{ Tiktoken }, ranks] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ]);
  return new Tiktoken(ranks.default);
}

/** o200k_base, slightly high at the cuts. */
export async function estimateTokens(text: string): Promise<number> {
  encoder ??= loadEncoder();
  const { encode } = bindEncoder(await encoder);
  const sample = text.slice(0, maxEncoded);
  let count = 0;
  for (const part of cut(sample, slice)) {
    const parts = longRun.test(part) ? cut(part, sliceOfRun) : [part];
    for (const one of parts) count += encode(one);
  }
  return sample.length === 0 ? 0 : Math.ceil((count * text.length) / sample.length);
}

function cut(text: string, length: number): string[] {
  const count = Math.ceil(text.length / length);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

/** Special-token names inside a text are text. */
function bindEncoder(loaded: Tiktoken): { encode(text: string): number } {
  return { encode: (text) => loaded.encode(text, [], []).length };
}

// How many tokens a text is, before it is sent. An estimate: never more than a bounded amount of work.
import type { Tiktoken } from 'js-tiktoken/lite';

/** Byte-pair encoding is quadratic in one unbroken run of characters, so runs are cut. */
const slice = 400;
/** Text beyond this is extrapolated from what came before. */
const encodedAtMost = 60_000;

let encoder: Promise<Tiktoken> | undefined;

async function loadEncoder(): Promise<Tiktoken> {
  const [{ Tiktoken }, ranks] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ]);
  return new Tiktoken(ranks.default);
}

/** Tokens of `text` in the o200k_base encoding, a little high at the cuts. */
export async function estimateTokens(text: string): Promise<number> {
  encoder ??= loadEncoder();
  const { encode } = bindEncoder(await encoder);
  const sample = text.slice(0, encodedAtMost);
  let count = 0;
  for (let start = 0; start < sample.length; start += slice) {
    count += encode(sample.slice(start, start + slice));
  }
  return sample.length === 0 ? 0 : Math.ceil((count * text.length) / sample.length);
}

/** Special-token names inside a text are text. */
function bindEncoder(loaded: Tiktoken): { encode(text: string): number } {
  return { encode: (text) => loaded.encode(text, [], []).length };
}

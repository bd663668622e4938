// lit-html whose text values lose hidden characters and isolate right-to-left words.
import { html as drawHtml, svg as drawSvg } from 'lit-html';
import { guardDrawn, isolateText } from '#domain/shown-text.ts';

export { nothing, render, type SVGTemplateResult, type TemplateResult } from 'lit-html';

const places = new WeakMap<TemplateStringsArray, boolean[]>();

/** Values that are text, not part of a tag. */
function placesOf(strings: TemplateStringsArray): boolean[] {
  const known = places.get(strings);
  if (known !== undefined) return known;
  let inTag = false;
  const found = strings.map((part) => {
    const [opens, closes] = [part.lastIndexOf('<'), part.lastIndexOf('>')];
    if (opens !== closes) inTag = opens > closes;
    return !inTag;
  });
  places.set(strings, found);
  return found;
}

function guard(value: unknown): unknown {
  if (typeof value === 'string') return isolateText(guardDrawn(value));
  return Array.isArray(value) ? value.map(guard) : value;
}

const guarded =
  <Drawn>(draw: (strings: TemplateStringsArray, ...values: unknown[]) => Drawn) =>
  (strings: TemplateStringsArray, ...values: unknown[]): Drawn => {
    const isText = placesOf(strings);
    return draw(strings, ...values.map((value, i) => (isText[i] === true ? guard(value) : value)));
  };

export const html = guarded(drawHtml);
export const svg = guarded(drawSvg);

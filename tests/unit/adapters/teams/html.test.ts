// The words of a message in Teams' HTML, of which nothing is run and nothing is lost that somebody wrote.
import { expect, test } from 'vitest';
import { readHtml } from '#adapters/teams/extension/read-plan-this.ts';

test.each([
  ['<div><div><at id="0">Countersign</at> - Hi</div>\n</div>', 'Countersign - Hi'],
  ['<p>a<br>b</p><p>&nbsp;</p><ul><li>c</li><li>d &lt;e&gt;</li></ul>', 'a\nb\n\n- c\n- d <e>'],
  ['ok <emoji id="yes" alt="👍" title="Yes"></emoji> &#39;q&#x27; &bogus;', "ok 👍 'q' &bogus;"],
  ['<script>alert(1)</script>', 'alert(1)'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['1 < 2', '1 < 2'],
])('%s', (html, text) => {
  expect(readHtml(html)).toBe(text);
});

test('a text of nothing but beginnings is read in one go', () => {
  const began = performance.now();
  readHtml('<img alt="'.repeat(10_000));
  readHtml('<'.repeat(100_000));
  readHtml(`<img ${'alt="'.repeat(20_000)}`);
  expect(performance.now() - began).toBeLessThan(1000);
});

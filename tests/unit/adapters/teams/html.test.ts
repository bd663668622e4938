import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHtml } from '#adapters/teams/signals/read-content.ts';
import { runInTurn } from '../../../setup/watch-loop.ts';

test.each([
  ['<div><div><at id="0">Countersign</at> - Hi</div>\n</div>', 'Countersign - Hi'],
  ['<p>a<br>b</p><p>&nbsp;</p><ul><li>c</li><li>d &lt;e&gt;</li></ul>', 'a\nb\n\n- c\n- d <e>'],
  ['ok <emoji id="yes" alt="👍" title="Yes"></emoji> &#39;q&#x27; &bogus;', "ok 👍 'q' &bogus;"],
  ['<script>alert(1)</script>', 'alert(1)'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['1 < 2', '1 < 2'],
  [
    '<p>see</p><blockquote><p>approve</p><p>now</p></blockquote><p>no</p>',
    'see\n> approve\n> now\nno',
  ],
  ['<pre><code>a\n  b</code></pre>', 'a\nb'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['<ol><li>a<ul><li>b</li></ul></li></ol>', '- a\n- b'],
  ['\u200b<div>&nbsp;a&#8203;</div>', 'a'],
  ['<span itemscope itemtype="http://schema.skype.com/Mention" itemid="0">Ben</span> hi', 'Ben hi'],
  ['<p>unclosed <b>bold', 'unclosed bold'],
])('%s', (html, text) => {
  expect(readHtml(html)).toMatchObject({ text, quotes: [] });
});

test('a quoted reply stands apart from the words', () => {
  const html =
    '<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="17"><strong itemprop="mri" itemid="8:orgid:x">Ben</strong><span itemprop="time" itemid="17"></span><p itemprop="preview">approve</p></blockquote><p>not yet</p>';
  expect(readHtml(html)).toEqual({ text: 'not yet', quotes: [{ author: 'Ben', text: 'approve' }] });
});

test.each([
  ['texts of attributes', '<img alt="'.repeat(10_000)],
  ['tags', '<'.repeat(100_000)],
  ['texts of one tag', `<img ${'alt="'.repeat(20_000)}`],
  ['quotations', '<blockquote>'.repeat(8000)],
  ['elements that others end', '<b>'.repeat(15_000) + '</i>'.repeat(12_000)],
  ['elements, each with a wrong end', '<b></i>'.repeat(14_000)],
  ['nested elements with wrong ends', '<b>'.repeat(190) + '</i>'.repeat(24_000)],
  ['characters by name', '&nbsp;'.repeat(16_000)],
])('beginnings of %s are read within one turn', (_, html) => {
  runInTurn(() => readHtml(html));
});

test('any text is read', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof readHtml(text).text === 'string'));
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, htmlText, trusted } from '../../../src/report/page/html.js';

describe('the html template', () => {
  it('escapes values, in text and in attributes', () => {
    const text = `<b title="x">&'`;
    expect(htmlText(html`<p title="${text}">${text}</p>`)).toBe(
      '<p title="&lt;b title=&quot;x&quot;&gt;&amp;&#39;">&lt;b title=&quot;x&quot;&gt;&amp;&#39;</p>',
    );
  });

  it('keeps markup of its own, lists and nothing', () => {
    const items = ['<a>', 2].map((item) => html`<li>${item}</li>`);
    expect(htmlText(html`<ul>${items}${undefined}</ul>${trusted('<svg></svg>')}`)).toBe(
      '<ul><li>&lt;a&gt;</li><li>2</li></ul><svg></svg>',
    );
  });

  it('shows control characters, lone surrogates and changes of direction as a mark, and leaves letters alone', () => {
    expect(htmlText(html`${'a\u0000b\u202ec\ud800d\u0085'}`)).toBe('a\ufffdb\ufffdc\ufffdd\ufffd');
    expect(htmlText(html`${'é ∑ 😀 אב\n\t'}`)).toBe('é ∑ 😀 אב\n\t');
  });

  it('lets no text open a tag or end an attribute, and text that came from JSON cannot be markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(htmlText(html`${text}`)).not.toMatch(/[<>"']/);
      }),
    );
    const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
    expect(htmlText(html`${forged}`)).not.toContain('<script>');
  });
});

import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/calibration/index.js';
import { redactResults, renderReport } from '../../../src/report/index.js';
import { estimate, gaussian, hostile, hostileResults, makeResults, none, sigmas, single } from '../fixtures.js';

const text = (html: string) => html.replace(/[\u00a0\u202f]/g, ' ');
const sections = (html: string) => [...html.matchAll(/<section id="([a-z]+)"/g)].map((match) => match[1]);

describe('the report', () => {
  const page = text(renderReport(makeResults()).html);

  it('has its parts in order, and loads and runs nothing', () => {
    expect(sections(page)).toEqual([
      'summary',
      'study',
      'answer',
      'charts',
      'levels',
      'bridge',
      'behaviour',
      'texts',
      'privacy',
      'repeat',
      'definitions',
    ]);
    expect(page.indexOf('Private text.')).toBeLessThan(page.indexOf('In short'));
    expect(page.match(/<svg /g)).toHaveLength(13);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|url\(|@import|src=/);
    expect([...page.matchAll(/https?:\/\/[^"'\s<)]+/g)].map(([url]) => url)).toEqual([]);
    expect(page).not.toMatch(/NaN|undefined|\[object/);
  });

  it('prints every ε rounded up, with δ, neighbours, accountant and kind of bound, and K with σ and κ', () => {
    expect(page).toContain('ε with δ = 8.81 × 10⁻⁵, adding or removing one example, pld accountant, upper bound.');
    expect(page).toContain('>0.601<');
    expect(page).toContain('σ over K = 66,306 numbers in training, K = 3,236,354 in a shared gradient.');
    expect(page).toContain('κ over K = 66,306 numbers in training, K = 3,236,354 in a shared gradient.');
    expect(page).toMatch(/<th scope="row">σ = 10⁻⁵<\/th>\s*<td>∞<\/td>/);
  });

  it('explains verdicts, marks recovered tokens, states what is not covered and how to repeat it', () => {
    expect(page).toContain('<b>bottoms out</b>: leakage falls, and from σ = 10⁻³ on');
    expect(page).toContain('<mark>contract</mark>');
    expect(page).toContain('<span class="wrong">ing</span>');
    expect(page).toContain('<b>Not covered:</b> data used before this');
    expect(page).toContain('not for release');
    expect(page).toContain('npx epsilens calibrate study.yaml --out results');
    expect(page).toContain('batchSize: 128');
  });

  it('says of a study without noise that there is nothing to draw, not that nothing was measured', () => {
    const { html } = renderReport(makeResults({ levels: [none] }));
    expect(html.match(/No noise was tried: the figures are under “Every level”/g)).toHaveLength(3);
    expect(html).not.toMatch(/was not measured|No attack has results|no level with both/);
    expect(html).toContain('95.0');
  });

  it('shows originals as the model reads them, those of which most comes back under noise first', () => {
    const recovered = (truth: string, lcsRatio: number) => {
      const truthTokens = ['[CLS]', ...truth.split(' '), '[UNK]', '[SEP]'];
      return { truth, guess: truth, truthTokens, guessTokens: truthTokens, lcsRatio };
    };
    const comparisons = ({ mechanism }: Level) =>
      ['hidden', 'half', 'open'].map((word, place) => recovered(`${word} text`, mechanism === 'none' ? 1 : place / 2));
    const { html } = renderReport(makeResults({ leakage: { span: () => estimate(0.5) }, comparisons }));
    const originals = [...html.matchAll(/original<\/span><bdi>([^<]*)</g)].map((match) => match[1]);
    expect(originals).toEqual(['open text [UNK]', 'half text [UNK]', 'hidden text [UNK]']);
    expect(html).not.toContain('<mark>[UNK]</mark>');
  });

  it('says what failed and what is missing', () => {
    const failures = [{ trial: 'abc123', what: 'training at σ = 1, seed 2', error: 'disk full' }];
    const html = renderReport(makeResults({}, { failures, missing: 3 })).html;
    expect(html).toContain('3 trials still to be run, 1 trial failed: see <a href="#failures">');
    expect(html).toContain('3 trials are still to be run');
    expect(html).toContain('1 trial failed; its level or seed is missing above.');
    expect(html).toContain('disk full');
    expect(sections(page)).not.toContain('failures');
  });

  it.each([
    ['only Gaussian noise', makeResults({ levels: [none, ...sigmas.map(gaussian)] })],
    ['no attacks', makeResults({ leakage: {} }, { behaviours: [] })],
    ['no utility', makeResults({ utility: undefined })],
    ['one seed', makeResults({ utility: () => single(0.9) })],
    ['one level', makeResults({ levels: [gaussian(1)] })],
    ['no levels', makeResults({ levels: [] }, { behaviours: [] })],
    ['a floor above all', makeResults({ floors: { span: 2 } })],
  ])('holds with %s', (_, results) => {
    const { html, charts } = renderReport(results);
    expect(sections(html).filter((id) => id !== 'bridge')).toHaveLength(10);
    for (const written of [html, ...charts.flatMap(({ svg, csv }) => [svg, csv])]) {
      expect(written).not.toMatch(/NaN|undefined|Infinity(?! with)|\[object/);
    }
  });

  it('keeps hostile text as text', () => {
    const { html, charts } = renderReport(hostileResults());
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<img');
    expect(html.match(/<\/style>/g)).toHaveLength(1 + charts.length);
    expect(html).not.toContain('\u202e');
    expect(html).toContain('&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;');
  });
});

describe('the redacted report', () => {
  it('has no class names, also where the study lists them', () => {
    const plain = makeResults();
    const named = { ...plain, study: { ...plain.study, data: { ...plain.study.data, classes: ['healthy', 'ill'] } } };
    expect(JSON.stringify(redactResults(named))).not.toContain('healthy');
    expect(renderReport(named, { redact: true }).html).not.toContain('healthy');
  });

  const secret = 'Xylophone Quetzalcoatl 4711';
  const words = secret.split(' ');
  const dataDigest = '0123456789abcdef'.repeat(4);
  const results = makeResults(
    {
      comparisons: (_, lcsRatio) => [
        { truth: secret, guess: secret, truthTokens: words, guessTokens: words, lcsRatio },
      ],
    },
    {
      failures: [{ trial: '5ca1ab1e0ddba11c0ffe', what: 'span at σ = 1', error: `cannot encode "${secret}"` }],
      data: {
        ...makeResults().data,
        digest: dataDigest,
        name: '/home/somebody/secret-project/mail.csv',
        classes: words,
      },
    },
  );

  it('has none of the texts, in no file', () => {
    const { html, charts } = renderReport(results, { redact: true });
    const all = [html, ...charts.flatMap(({ name, svg, csv }) => [name, svg, csv])].join('\n');
    for (const word of [...words, 'somebody']) expect(all).not.toContain(word);
    expect(html).toContain('Redacted.');
    expect(html).not.toContain('Private text.');
    expect(html).toContain('mail.csv');
    expect(charts).toHaveLength(13);
  });

  it('has no digest of the data and no name made from it, with which a guess at a record could be tested', () => {
    const { html, charts } = renderReport(results, { redact: true });
    const files = [
      html,
      ...charts.flatMap(({ name, svg, csv }) => [name, svg, csv]),
      JSON.stringify(redactResults(results)),
    ];
    for (const written of files) {
      for (const name of [dataDigest, '5ca1ab1e']) {
        for (let start = 0; start + 8 <= name.length; start += 8)
          expect(written).not.toContain(name.slice(start, start + 8));
      }
    }
    expect(html).toContain(results.model.digest);
    expect(renderReport(results).html).toContain(dataDigest);
    expect(redactResults(results)).toMatchObject({ failures: [{ trial: '1', error: 'left out' }] });
  });

  it('is the only one without them', () => {
    const { html } = renderReport(results);
    for (const word of words) expect(html).toContain(word);
  });

  it('has no hostile text either', () => {
    expect(renderReport(hostileResults(), { redact: true }).html).not.toContain(hostile.slice(0, 12));
  });
});

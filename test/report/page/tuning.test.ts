// What the page and the terminal show of tuned training and of what training releases.

import { describe, expect, it } from 'vitest';
import type { StudyResults } from '../../../src/calibration/index.js';
import { describeResults, redactResults, renderReport } from '../../../src/report/index.js';
import { controlResults, middleBest, tunedOver, withRate } from '../controls.js';
import { estimate, makeResults, resultsOfThree, staircase } from '../fixtures.js';

const plain = (html: string) => html.replace(/[\u00a0\u202f]/g, ' ');
const section = (results: StudyResults, id: string) =>
  plain(renderReport(results).html).split(`<section id="${id}"`)[1]?.split('</section>')[0] ?? '';
const withSettings = (results: StudyResults): StudyResults => ({
  ...results,
  levels: results.levels.map((one) => ({ ...one, settings: withRate(one.level.parameter === 1e3 ? 0.01 : 0.002, 10) })),
});
const tuned = withSettings(controlResults({}, tunedOver(middleBest)));
const both = withSettings(controlResults({}, tunedOver(middleBest, { epochs: { tune: [3, 10] } })));
const untuned = controlResults();

describe('the section on tuning', () => {
  const shown = section(tuned, 'tuning');

  it('has a table per mechanism, with a row per tuned level and the choice marked', () => {
    expect(shown.match(/<table/g)).toHaveLength(3);
    expect(shown).toContain(
      '<tr><th scope="col">noise</th><th scope="col">0.0005</th><th scope="col">0.002</th><th scope="col">0.01</th></tr>',
    );
    expect(shown).toContain(
      '<tr><th scope="row">no noise</th><td>89.0 %<small>88.6–89.4</small></td><td><b>94.0 % ✓</b><small>93.6–94.4</small></td><td>91.0 %<small>90.6–91.4</small></td></tr>',
    );
    expect(shown.match(/<th scope="row">κ = /g)).toHaveLength(4);
    // Two mechanisms begin there.
    expect(shown.match(/<th scope="row">normalised/g)).toHaveLength(2);
    expect(shown.match(/✓<\/b>/g)).toHaveLength(15);
  });

  it('says on what, how often and for which levels values were tried', () => {
    expect(shown).toContain('Accuracy on 481 validation examples, mean over 2 seeds with its 95 % interval; ✓ marks');
    expect(shown).toContain('Test data were not read for this.');
    expect(shown).not.toContain('Levels in between');
    const few = controlResults({}, tunedOver(middleBest, { tuning: { seeds: 1, levels: 2, accounted: false } }));
    expect(section(few, 'tuning')).toContain('mean over 1 seed; ✓ marks');
    expect(section(few, 'tuning')).toContain(
      'Levels in between take the choice of the nearest level of their mechanism at which values were tried.',
    );
    const { validation: _, ...data } = tuned.data;
    expect(section({ ...tuned, data }, 'tuning')).toContain('Accuracy on validation data, mean over');
  });

  it('shows epochs where they are tuned, and a dash where nothing was tried', () => {
    expect(section(both, 'tuning')).toContain('<th scope="col">0.002<small>3 epochs</small></th>');
    const [first, ...others] = tuned.tuning;
    const partial = { ...tuned, tuning: first ? [{ ...first, tried: first.tried.slice(0, 2) }, ...others] : [] };
    expect(section(partial, 'tuning')).toMatch(/no noise<\/th>.*<td>–<\/td><\/tr>/);
  });

  it('is there, with its link, only if something was tuned', () => {
    expect(renderReport(tuned).html).toContain('<a href="#tuning">Tuning</a>');
    expect(renderReport(untuned).html).not.toMatch(/#tuning|id="tuning"|How training was tuned/);
  });
});

describe('the table of levels', () => {
  it('has the settings of each level, only if they were tuned', () => {
    const table = section(tuned, 'levels');
    expect(table).toContain('<th scope="col">learning rate</th>');
    expect(table.match(/<td>0\.002<\/td>/g)).toHaveLength(12);
    expect(table.match(/<td>0\.01<\/td>/g)).toHaveLength(2);
    expect(table).toContain('colspan="7"');
    expect(section(both, 'levels')).toContain('<td>0.002<small>10 epochs</small></td>');
    expect(section(both, 'levels')).toContain('<th scope="col">learning rate and number of epochs</th>');
    const unknown = { ...tuned, levels: tuned.levels.map(({ settings: _, ...one }) => one) };
    expect(section(unknown, 'levels').match(/<td>–<\/td>\s*<td><b>/g)).toHaveLength(14);
    expect(section(untuned, 'levels')).not.toContain('learning rate');
    expect(section(untuned, 'levels')).toContain('colspan="6"');
  });

  it('has the share of random directions where it is above 0', () => {
    const shares: Readonly<Record<number, number>> = { 1e7: 0, 1e6: 0.00002, 1e4: 0.034, 1e3: 0.12 };
    const table = section(
      controlResults({
        uniformShare: ({ mechanism, parameter = 0 }) => (mechanism === 'directional' ? shares[parameter] : undefined),
      }),
      'levels',
    );
    expect([...table.matchAll(/<small>([^<]*) drawn at random<\/small>/g)].map((match) => match[1])).toEqual([
      'under 0.1 %',
      '3.4 %',
      '12 %',
    ]);
  });
});

describe('privacy', () => {
  it('says whether tuning is accounted', () => {
    expect(section(tuned, 'privacy')).toContain(
      '<b>Tuning is not accounted.</b> The runs that were tried to choose the settings of training read the same data and cost privacy too; no ε here counts them, nor the validation examples',
    );
    const counted = controlResults({}, tunedOver(middleBest, { tuning: { accounted: true } }));
    expect(section(counted, 'privacy')).toContain(
      'The ε of each level counts the runs that were tried to choose the settings of training, wherever they were tried, as well as the one that was kept, with the most epochs that could have been chosen. Not covered are the validation examples',
    );
    expect(section(counted, 'privacy')).not.toContain('not accounted');
    expect(section(untuned, 'privacy')).not.toMatch(/settings of training|accounted/);
  });
});

const ratios: StudyResults['noiseRatios'] = [
  {
    mechanisms: ['directional', 'staircase'],
    batchSize: 128,
    readings: [1e3, 10].map((parameter, place) => ({
      level: staircase(parameter),
      cosine: 0.5 / 10 ** place,
      predicted: 64 / (place + 1),
      measured: estimate(62.5 / (place + 1), 1.5),
    })),
  },
];

describe('noise told from scaling', () => {
  const head = 'Is it the noise, or the scaling?';

  it('is in the answer and among the charts, with what is compared', () => {
    expect(section(untuned, 'answer')).toContain(
      `<p><b>${head}</b> The parameter of a mechanism does not say how much`,
    );
    expect(section(untuned, 'answer')).toContain('noise once per batch against once per example');
    expect(section(untuned, 'answer')).toContain('so the kind of noise is not visible here');
    const charts = section(untuned, 'charts').split(`<h2>${head}</h2>`)[1] ?? '';
    expect(charts.match(/<svg /g)).toHaveLength(4);
    expect(charts).toContain('on a logarithmic axis that falls to the right');
    expect(charts).toContain('Lines: predicted at each level from the size of the noise');
    expect(section(controlResults({ predicted: () => undefined }), 'charts')).toContain(
      'It was not predicted in this study.',
    );
    for (const other of [makeResults(), resultsOfThree()]) expect(renderReport(other).html).not.toContain(head);
  });

  it('has the ratios of noise in a table, with what the prediction assumes', () => {
    const charts = section({ ...untuned, noiseRatios: ratios }, 'charts');
    expect(charts).toContain(
      '<caption>Noise on training where one shared gradient keeps the same cosine: staircase noise over directional noise</caption>',
    );
    expect(charts).toContain(
      '<tr><th scope="row">γ = 10³</th><td>0.50</td><td>64</td><td>62.5 <small class="inline">61–64</small></td></tr>',
    );
    expect(charts).toContain(
      'Where it is above 1, staircase noise puts more noise on training than directional noise although a shared gradient leaks equally.',
    );
    expect(charts).toContain('gradients as long as the clip norm, many numbers (large K), and sums of equal length');
    expect(charts).toContain(
      'Noise once per batch against once per example makes such a ratio (batches have 128 examples)',
    );
    expect(section(untuned, 'charts')).not.toContain('such a ratio');
  });
});

describe('the terminal', () => {
  const show = (results: StudyResults) => describeResults(results).replaceAll('\n', ' ');

  it('has one sentence with the chosen settings, and the finding on noise and scaling', () => {
    expect(show(tuned)).toContain(
      'The learning rate chosen on validation data: Gaussian noise 0.002; directional noise 0.002 (normalised to κ = 10⁴), 0.01 (κ = 10³); staircase noise ',
    );
    expect(show(tuned)).toContain('so the kind of noise is not visible here');
    expect(show(tuned)).not.toContain('The parameter of a mechanism does not say');
    expect(show(untuned)).not.toContain('chosen on validation data');
    expect(show(makeResults())).not.toContain('kind of noise');
  });

  it('fits the width', () => {
    for (const columns of [40, 80]) {
      const lines = describeResults({ ...both, noiseRatios: ratios }, { columns }).split('\n');
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    }
  });
});

describe('redacted results', () => {
  it('keep what was tuned and compared, which are figures', () => {
    const whole = { ...tuned, noiseRatios: ratios };
    const redacted = redactResults(whole);
    for (const key of ['tuning', 'equalCosine', 'noiseRatios', 'equalLeakage'] as const) {
      expect(redacted[key]).toEqual(whole[key]);
    }
    expect(redacted.data.validation).toBe(481);
    expect(redacted.levels.map(({ settings }) => settings)).toEqual(whole.levels.map(({ settings }) => settings));
    const page = renderReport(whole, { redact: true });
    expect(page.html).toContain('How training was tuned');
    expect(page.charts.map(({ name }) => name)).toContain('release-accuracy');
    expect(`${page.html}${JSON.stringify(redacted)}`).not.toContain('Lindqvist');
  });
});

it('has no trace of missing values on any page', () => {
  const levels = tuned.levels.map(({ utility: _, ...one }) => one);
  for (const results of [tuned, both, { ...tuned, levels }, { ...tuned, levels: tuned.levels.slice(0, 3) }]) {
    const { html, charts } = renderReport(results);
    for (const written of [html, ...charts.flatMap(({ svg, csv }) => [svg, csv])]) {
      expect(written).not.toMatch(/NaN|undefined|\[object/);
    }
  }
});

import { describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/report/index.js';
import { controlResults } from '../controls.js';
import { directional, gaussian, makeResults, none, resultsOfThree, sigmas } from '../fixtures.js';
import { likelyResults } from '../likely.js';
import { rocResults } from '../roc.js';

const charts = renderReport(makeResults()).charts;
const chart = (name: string) => charts.find((one) => one.name === name) ?? { svg: '', csv: '' };

describe('charts', () => {
  it('are one for utility and each attack under each mechanism, and one trade-off for each attack', () => {
    expect(charts.map(({ name }) => name)).toEqual([
      'utility-gaussian',
      'utility-directional',
      'leakage-span-gaussian',
      'leakage-span-directional',
      'leakage-decepticons-gaussian',
      'leakage-decepticons-directional',
      'leakage-membership-gaussian',
      'leakage-membership-directional',
      'leakage-span-cosine',
      'leakage-decepticons-cosine',
      'trade-off-span',
      'trade-off-decepticons',
      'trade-off-membership',
    ]);
    const few = renderReport(makeResults({ levels: [none, ...sigmas.map(gaussian)], leakage: {} })).charts;
    expect(few.map(({ name }) => name)).toEqual(['utility-gaussian']);
    expect(renderReport(makeResults({ levels: [none], leakage: {}, utility: undefined })).charts).toEqual([]);
  });

  it.each(['leakage-span-gaussian', 'leakage-span-cosine', 'utility-directional', 'trade-off-membership'])(
    '%s is drawn as it was',
    async (name) => {
      await expect(chart(name).svg).toMatchFileSnapshot(`../../golden/report/${name}.svg`);
    },
  );

  it('have noise growing to the right for both mechanisms, and no noise at the left', () => {
    const ticks = (svg: string) =>
      [
        ...(/x-axis tick label">(.*?)<\/g>/s.exec(svg)?.[1] ?? '').matchAll(
          /translate\(([\d.]+),[\d.]+\)"[^>]*>([^<]*)</g,
        ),
      ]
        .map((match) => [Number(match[1]), match[2]] as const)
        .sort((a, b) => a[0] - b[0])
        .map(([, label]) => label);
    expect(ticks(chart('utility-gaussian').svg)).toEqual(['none', '10⁻⁵', '10⁻⁴', '10⁻³', '0.1', '1', '10']);
    expect(ticks(chart('utility-directional').svg)).toEqual(['none', '10⁸', '10⁷', '10⁶', '10⁴', '10³', '100']);
  });

  it('draw the floor, the gap, an interval and a shape for each level', () => {
    const { svg } = chart('leakage-span-gaussian');
    expect(svg).toContain('floor 0.02');
    expect(svg).toContain('>gap<');
    expect(svg.match(/<title>/g)).toHaveLength(7);
    expect(svg).toContain('<title>σ&#160;=&#160;10⁻³: LCS ratio 0.04 (0.02–0.06)</title>');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg).not.toMatch(/NaN|undefined/);
    expect(chart('trade-off-span').svg).toContain('top left is best');
  });

  it('give their rows, with numbers in full', () => {
    const [head, first, second] = chart('leakage-span-gaussian').csv.split('\r\n');
    expect(head).toBe('mechanism,parameter,noise,measure,attack,mean,lower,upper,count,floor');
    expect(first?.startsWith('none,,,LCS ratio,span,0.99,0.97,1.01,20,')).toBe(true);
    expect(second?.startsWith('gaussian,sigma,0.00001,LCS ratio,span,')).toBe(true);
    expect(chart('trade-off-span').csv.split('\r\n')[0]).toBe(
      'mechanism,parameter,noise,attack,leakage_mean,leakage_lower,leakage_upper,leakage_count,floor,accuracy_mean,accuracy_lower,accuracy_upper,accuracy_count,most_frequent_class',
    );
  });
});

describe('charts of reliability', () => {
  const likely = renderReport(likelyResults()).charts;
  const named = (name: string) => likely.find((one) => one.name === name) ?? { svg: '', csv: '' };

  it('are one more per mechanism for each attack that states probabilities', () => {
    expect(likely.map(({ name }) => name).slice(charts.length)).toEqual([
      'reliability-span-gaussian',
      'reliability-span-directional',
    ]);
  });

  it('are drawn as they were, with a point per bin that holds tokens', async () => {
    const { svg } = named('reliability-span-gaussian');
    await expect(svg).toMatchFileSnapshot('../../golden/report/reliability-span-gaussian.svg');
    expect(svg.match(/<title>/g)).toHaveLength(3);
    expect(svg).toContain('<title>confidence 0.9 to 0.99: 0.75 of 28 tokens right (0.55–0.89)</title>');
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  it('give their rows', () => {
    const [head, first] = named('reliability-span-gaussian').csv.split('\r\n');
    expect(head).toBe('mechanism,attack,confidence_from,confidence_to,tokens,right,confidence_mean,share,lower,upper');
    expect(first?.startsWith('gaussian,span,0.5,0.7,28,14,0.5,0.5,')).toBe(true);
  });
});

describe('ROC charts', () => {
  const page = renderReport(rocResults());
  const named = (name: string, from = page.charts) => from.find((one) => one.name === name) ?? { svg: '', csv: '' };
  const legend = (svg: string) =>
    [...svg.matchAll(/font-size="12.5"[^>]*><text[^>]*>([^<]*)</g)].map(([, words]) =>
      words?.replaceAll('&#160;', ' '),
    );

  it('are one more per mechanism for each attack that has curves', () => {
    const added = page.charts.map(({ name }) => name).filter((name) => !charts.some((one) => one.name === name));
    expect(added).toEqual(['roc-membership-gaussian', 'roc-membership-directional']);
    expect(page.html).toContain('Members found against false alarms');
    expect(renderReport(makeResults()).html).not.toContain('false alarms');
  });

  it('are drawn as they were', async () => {
    const { svg } = named('roc-membership-gaussian');
    await expect(svg).toMatchFileSnapshot('../../golden/report/roc-membership-gaussian.svg');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('show no noise, the least, a middle level and the most, and guarantees that rule something out', () => {
    expect(legend(named('roc-membership-gaussian').svg)).toEqual([
      'no noise',
      'σ = 10⁻⁵',
      'σ = 10⁻³',
      'σ = 10',
      // ε of σ = 10⁻⁵ is infinite, and that of σ = 10⁻³ is a million.
      'guarantee: ε = 0.0601, δ = 8.81\u202f×\u202f10⁻⁵',
      'guessing',
    ]);
    // The least ε of directional noise is 600.
    expect(legend(named('roc-membership-directional').svg)).toEqual([
      'no noise',
      'κ = 10⁸',
      'κ = 10⁶',
      'κ = 100',
      'guessing',
    ]);
    expect(page.html).toContain('the most that any attack can reach under ε and δ of the trained models');
    const weak = renderReport(rocResults(makeResults({ levels: [none, directional(1e6)] }))).html;
    expect(weak).toContain('No guarantee is drawn: none of the trained models has an ε of at most 50 that covers');
  });

  it('have logarithmic axes from the lowest rates that were measured', () => {
    const { svg } = named('roc-membership-gaussian');
    const ticks = [...svg.matchAll(/translate\(([\d.]+),[\d.]+\)" y="0.71em">(0?\.?[01]+)</g)].map(([, x, rate]) => [
      Number(rate),
      Number(x),
    ]) as [number, number][];
    const at = (rate: number) => ticks.find(([value]) => value === rate)?.[1] as number;
    expect(at(1) - at(0.1)).toBeCloseTo(at(0.1) - at(0.01), 1);
    // The frame is 64 to 406 pixels wide, and its left edge is one of 500.
    expect((at(1) - at(0.1)) / (406 - 64)).toBeCloseTo(1 / Math.log10(500), 3);
  });

  it('keep lines inside the frame', () => {
    const { svg } = named('roc-membership-gaussian');
    const paths = [...svg.matchAll(/<g[^>]*aria-label="line"[^>]*><path d="([^"]*)"/g)].map(([, path]) => path ?? '');
    expect(paths).toHaveLength(1 + 4 + 1);
    const [, bottom] = /x-grid"><line y2="([\d.]+)"/.exec(svg) ?? [];
    const top = /x-grid"><line y2="[\d.]+" y1="([\d.]+)"/.exec(svg)?.[1];
    for (const path of paths) {
      for (const [, x, y] of path.matchAll(/([\d.]+),([\d.]+)/g)) {
        expect(Number(x)).toBeGreaterThanOrEqual(64);
        expect(Number(x)).toBeLessThanOrEqual(406);
        expect(Number(y)).toBeGreaterThanOrEqual(Number(top));
        expect(Number(y)).toBeLessThanOrEqual(Number(bottom));
      }
    }
  });

  it('give their rows', () => {
    const rows = named('roc-membership-gaussian').csv.trimEnd().split('\r\n');
    expect(rows[0]).toBe('mechanism,parameter,noise,attack,curve,false_positive_rate,true_positive_rate,epsilon,delta');
    expect(rows[1]).toBe('none,,,membership,measured,0,0,,');
    const allowed = rows.filter((row) => row.includes(',guarantee,'));
    expect(allowed.length).toBeGreaterThan(100);
    expect(allowed[0]).toMatch(/^gaussian,sigma,10,membership,guarantee,0.002,0.0022\d*,0.0600\d*,0.000088031$/);
  });
});

describe('charts with a third mechanism', () => {
  const three = renderReport(resultsOfThree()).charts;
  const named = (name: string) => three.find((one) => one.name === name) ?? { svg: '', csv: '' };

  it('are one more for utility and each attack, and no more of those for all', () => {
    expect(three).toHaveLength(13 + 4);
    expect(three.map(({ name }) => name).filter((name) => name.includes('staircase'))).toEqual([
      'utility-staircase',
      'leakage-span-staircase',
      'leakage-decepticons-staircase',
      'leakage-membership-staircase',
    ]);
  });

  it('draw it in a colour and shape of its own, and leave the others theirs', () => {
    const { svg } = named('trade-off-span');
    for (const colour of ['#0072b2', '#d55e00', '#009e73']) expect(svg).toContain(`fill="${colour}"`);
    expect(svg).toContain('staircase (γ)');
    expect(svg).toContain('<title>γ&#160;=&#160;10³: ');
    expect(named('utility-staircase').svg).not.toMatch(/#0072b2|#d55e00/);
    expect(named('utility-gaussian').svg).toBe(chart('utility-gaussian').svg);
  });

  it('name its parameter in their rows', () => {
    expect(named('trade-off-span').csv).toContain('\r\nstaircase,gamma,1000,span,');
    expect(named('leakage-span-staircase').csv).toContain('\r\nstaircase,gamma,0.1,LCS ratio,span,');
  });

  it('have noise growing to the right', () => {
    const { svg } = named('utility-staircase');
    expect(svg).toContain('stair width γ, more noise →');
    expect(svg.indexOf('>10⁵<')).toBeLessThan(svg.indexOf('>0.1<'));
    expect(svg.indexOf('>10⁵<')).toBeGreaterThan(0);
  });

  it('colour by place in the study, so that a mechanism alone has the first colour', () => {
    const about = makeResults().mechanisms.slice(1);
    const levels = [none, directional(1e6), directional(1e3)];
    const [alone] = renderReport(makeResults({ levels }, { mechanisms: about, behaviours: [] })).charts;
    expect(alone?.svg).toContain('#0072b2');
    expect(alone?.svg).not.toContain('#d55e00');
  });
});

describe('charts of what training releases', () => {
  const drawn = renderReport(controlResults()).charts;
  const named = (name: string, from = drawn) => from.find((one) => one.name === name) ?? { svg: '', csv: '' };
  const ofReleases = (from: typeof drawn) => from.map(({ name }) => name).filter((name) => name.startsWith('release'));
  /** How many levels of a symbol have a dot. */
  const dots = (svg: string, symbol: string) => svg.split(`<title>${symbol}`).length - 1;

  it('are one of accuracy and one of each mechanism, if a study can tell the noise from the scaling', () => {
    expect(ofReleases(drawn)).toEqual([
      'release-accuracy',
      'release-cosine-gaussian',
      'release-cosine-directional',
      'release-cosine-staircase',
    ]);
    expect(ofReleases(renderReport(resultsOfThree()).charts)).toEqual([]);
    expect(ofReleases(charts)).toEqual([]);
  });

  it.each(['release-accuracy', 'release-cosine-directional'])('%s is drawn as it was', async (name) => {
    await expect(named(name).svg).toMatchFileSnapshot(`../../golden/report/${name}.svg`);
  });

  it('have a logarithmic axis of cosines that falls to the right', () => {
    const { svg } = named('release-accuracy');
    const places = ['1', '0.1', '0.05'].map((label) =>
      Number(new RegExp(`translate\\(([\\d.]+),322\\)" y="0.71em">${label}<`).exec(svg)?.[1]),
    ) as [number, number, number];
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // A decade is log 10 / log 2 times as wide as a factor of two.
    expect((places[1] - places[0]) / (places[2] - places[1])).toBeCloseTo(Math.log2(10), 1);
    expect(svg).toContain('cosine to its own sum, more noise →');
    expect(svg).toContain('>normalised<');
  });

  it('begin each line where its mechanism begins', () => {
    const { svg } = named('release-accuracy');
    const starts = ['#0072b2', '#d55e00', '#009e73'].map(
      (colour) => new RegExp(`"2,4"[^>]*stroke="${colour}"[^>]*><path d="M([\\d.]+,[\\d.]+)L`).exec(svg)?.[1],
    );
    expect(starts.every((start) => start !== undefined)).toBe(true);
    expect(starts[1]).toBe(starts[2]);
    expect(starts[0]).not.toBe(starts[1]);
  });

  it('draw what was measured as dots and the prediction as a line, if there is one', () => {
    const { svg } = named('release-cosine-directional');
    expect(dots(svg, 'κ')).toBe(4);
    expect(svg).toContain('aria-label="line"');
    expect(svg).toContain('<title>κ&#160;=&#160;10⁴: cosine 0.32 (0.32–0.32), predicted 0.32</title>');
    const without = renderReport(controlResults({ predicted: () => undefined })).charts;
    const bare = named('release-cosine-directional', without).svg;
    expect(dots(bare, 'κ')).toBe(4);
    expect(bare).not.toMatch(/aria-label="line"[^>]*><path/);
    expect(bare).not.toContain('predicted');
  });

  it('give their rows, predictions included', () => {
    const accuracy = named('release-accuracy').csv.split('\r\n');
    expect(accuracy[0]).toBe(
      'mechanism,parameter,noise,cosine_mean,cosine_lower,cosine_upper,cosine_count,accuracy_mean,accuracy_lower,accuracy_upper,accuracy_count,most_frequent_class',
    );
    expect(accuracy).toHaveLength(1 + 14 + 1);
    const cosine = named('release-cosine-directional').csv.split('\r\n');
    expect(cosine[0]).toBe('mechanism,parameter,noise,cosine_mean,cosine_lower,cosine_upper,cosine_count,predicted');
    expect(cosine[1]).toMatch(/^normalised,,,1,/);
    expect(cosine[2]).toMatch(/^directional,kappa,10000000,/);
    expect(cosine).toHaveLength(1 + 5 + 1);
  });

  it('leave out cosines of 0 and below, and cut intervals that reach there', () => {
    const results = controlResults();
    const lost = results.levels.map((one) => {
      const { level, utility } = one;
      if (utility?.cosineToSum === undefined || level.mechanism !== 'gaussian') return one;
      const mean = level.parameter === 1 ? -0.01 : utility.cosineToSum.mean;
      return { ...one, utility: { ...utility, cosineToSum: { ...utility.cosineToSum, mean, lower: -0.2 } } };
    });
    const page = renderReport({ ...results, levels: lost });
    const { svg, csv } = named('release-accuracy', page.charts);
    expect(dots(svg, 'σ')).toBe(3);
    expect(csv).toContain(',-0.2,');
    expect(csv).not.toContain('gaussian,sigma,1,');
    for (const one of page.charts) expect(one.svg, one.name).not.toMatch(/NaN|Infinity/);
    expect(page.html).toContain('Levels whose mean cosine is 0 or below are left out');
    expect(renderReport(results).html).not.toContain('is 0 or below');
  });
});

// The statement in words, for any event and any accountant that can count it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approximate,
  basicAccountant,
  composed,
  dpSgd,
  gaussian,
  gdpAccountant,
  laplace,
  metric,
  metricAccountant,
  none,
  type PrivacyEvent,
  parallel,
  poissonSampled,
  privacyStatement,
  pureEpsilon,
  randomizedResponse,
  type rdpAccountant,
  selfComposed,
  writeNumber,
} from '../../src/privacy/index.js';
import { quickAccountants } from './settings.js';

const level = fc.double({ min: 0.05, max: 20, noNaN: true });
const { event: events } = fc.letrec<{ event: PrivacyEvent }>((tie) => ({
  event: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant(none),
    level.map(gaussian),
    level.map(laplace),
    fc.double({ min: 0.5, max: 0.999, noNaN: true }).map(randomizedResponse),
    level.map(pureEpsilon),
    fc.tuple(level, fc.constantFrom(0, 1e-9, 1e-3)).map(([epsilon, delta]) => approximate(epsilon, delta)),
    fc.tuple(level, fc.constantFrom('euclidean', 'angle')).map(([factor, distance]) => metric({ factor, distance })),
    fc.tuple(fc.constantFrom(0, 0.01, 0.5, 1), tie('event')).map(([rate, event]) => poissonSampled(rate, event)),
    fc.tuple(fc.integer({ min: 0, max: 1000 }), tie('event')).map(([count, event]) => selfComposed(count, event)),
    fc.array(tie('event'), { maxLength: 3 }).map(composed),
    fc.array(tie('event'), { maxLength: 3 }).map(parallel),
  ),
}));

describe('privacyStatement', () => {
  it('is made of whole sentences, whatever was released', () => {
    let counted = 0;
    const makers = [...quickAccountants, metricAccountant];
    fc.assert(
      fc.property(events, fc.constantFrom(0, 1e-6, 0.01), (event, delta) => {
        for (const make of makers) {
          for (const neighbours of ['add-or-remove-one', 'replace-one'] as const) {
            const accountant = (make as typeof rdpAccountant)({ neighbours });
            if (!accountant.supports(event)) continue;
            counted += 1;
            for (const sentence of privacyStatement(event, accountant.compose(event).epsilon(delta), {
              records: 100,
            })) {
              expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
              expect(sentence).not.toMatch(/NaN|undefined|null|Infinity|\[object/);
            }
          }
        }
      }),
      { seed: 20_260_806, numRuns: 300 },
    );
    expect(counted).toBeGreaterThan(500);
  });

  it('says what was released, which unit the guarantee protects and what it does not cover', () => {
    const event = dpSgd({ sampleRate: 0.01, noiseMultiplier: 1, steps: 1000 });
    const guarantee = gdpAccountant().compose(event).epsilon(1e-3);
    const text = privacyStatement(event, guarantee, { records: 5000 }).join('\n');
    expect(text).toContain('for adding or removing one example, by the gdp accountant.');
    expect(text).toContain('an approximation, not a bound');
    expect(text).toContain(
      'Each record went through this at most 1000 times: normal noise of 1 times the sensitivity, on records that each take part with probability 0.01.',
    );
    expect(text).toContain('Delta is not below one over the 5000 records');
    expect(text).toContain('Not covered: data used before this');
  });

  it.each([
    [50, false],
    [50.1, true],
    [1e6, true],
    [Number.POSITIVE_INFINITY, true],
  ])('says of an epsilon of %d whether it promises next to nothing', (epsilon, weak) => {
    const guarantee = { ...basicAccountant().compose(pureEpsilon(1)).epsilon(0), epsilon };
    const remark =
      'An epsilon above 50 promises next to nothing by itself: the probability of an outcome may change by';
    expect(privacyStatement(none, guarantee).some((sentence) => sentence.startsWith(remark))).toBe(weak);
  });

  it('distinguishes the distance of parts from that of the whole vector', () => {
    const [parts, epochs] = [3, 4];
    const event = selfComposed(epochs, selfComposed(parts, metric({ factor: 1.00001 })));
    const text = privacyStatement(event, metricAccountant().compose(event).epsilon(0)).join('\n');
    expect(text).toContain('Each record went through this at most 12 times: a release whose probabilities');
    // 12.00012, from above.
    expect(text).toContain('the factor is 12.01 per unit of euclidean or angle distance, which cannot be compared');
    expect(text).toContain('The distance is the largest between what any single release reads of two records');
    expect(text).toContain('without a direction counts as the diameter away from all others.');
  });

  it('takes the view of one record also where the data are split', () => {
    const event = selfComposed(2, parallel([pureEpsilon(1), pureEpsilon(2)]));
    const text = privacyStatement(event, basicAccountant().compose(event).epsilon(0)).join('\n');
    expect(text).toContain(
      'Each record went through this at most 2 times: one of these, on disjoint parts: a release with epsilon 1; a release with epsilon 2.',
    );
  });

  it('never rounds a bound below itself', () => {
    // 1.0090957, exactly.
    const plain = gdpAccountant().compose(gaussian(3.7)).epsilon(1e-5);
    expect([plain.bound, plain.epsilon > 1.009]).toEqual(['exact', true]);
    expect(privacyStatement(none, plain)[0]).toContain('Epsilon is 1.01 with delta 1e-5 ');
    const guarantee = basicAccountant().compose(pureEpsilon(1.00001)).epsilon(0);
    expect(privacyStatement(none, guarantee)[0]).toContain('Epsilon is 1.001 with delta 0 ');
    fc.assert(
      fc.property(
        fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (value, digits) => {
          const [up, down] = [Number(writeNumber(value, digits, 'up')), Number(writeNumber(value, digits, 'down'))];
          expect(up).toBeGreaterThanOrEqual(value);
          expect(down).toBeLessThanOrEqual(value);
          expect(up - down).toBeLessThanOrEqual(1.001 * 10 ** (1 - digits) * value);
        },
      ),
      { seed: 20_260_806 },
    );
    expect([1.1, 0.3, 7e-9, 12_345_678].map((value) => writeNumber(value, 4, 'up'))).toEqual([
      '1.1',
      '0.3',
      '7e-9',
      '1.235e7',
    ]);
  });
});

// Whether mechanisms differ by their noise or by how they bound gradients, in sentences.

import { describe, expect, it } from 'vitest';
import type { Level, StudyResults } from '../../../src/calibration/index.js';
import { answerOf } from '../../../src/report/answer/answer.js';
import { controlResults } from '../controls.js';
import { directional, estimate, gaussian, makeResults, none, resultsOfThree } from '../fixtures.js';

const release = (results: StudyResults) => answerOf(results).release.replace(/[\u00a0\u202f]/g, ' ');
const isScaled = ({ mechanism }: Level) => !['none', 'gaussian'].includes(mechanism);

describe('noise told from scaling', () => {
  it('needs two mechanisms that begin alike and one that does not', () => {
    expect(release(controlResults())).not.toBe('');
    expect(release(makeResults())).toBe('');
    // Three that all begin at the same level.
    expect(release(resultsOfThree())).toBe('');
    // Two that begin apart.
    const two = controlResults();
    const levels = two.levels.filter(({ level }) => level.mechanism !== 'staircase');
    expect(release({ ...two, levels })).toBe('');
  });

  it('says that the kind of noise is not visible, and how large a difference could hide', () => {
    expect(release(controlResults())).toMatch(
      /^Directional noise and staircase noise begin at the same level \(normalised\) and differ only in their noise: at an equal cosine between what a training step releases and its own sum before noise, staircase minus directional is 0\.0 points \(95 % interval −(\d\.\d) to \1\), so the kind of noise is not visible here; the interval excludes differences above \1 points\. /,
    );
  });

  it('says that the kind of noise is visible if it is', () => {
    const better = (level: Level, cosine: number) =>
      0.6 + (level.mechanism === 'staircase' ? 0.05 : 0) * (1 - cosine) + 0.3 * cosine;
    const text = release(controlResults({ accuracy: better }));
    expect(text).toContain('so the kind of noise is visible, and staircase noise keeps more utility.');
    expect(text).not.toContain('is not visible');
  });

  it('does not judge by one seed', () => {
    const text = release(controlResults({ seeds: 1, spread: 0 }));
    expect(text).toContain(
      'staircase minus directional is 0.0 points (no interval), which one seed cannot tell from chance.',
    );
    expect(text).toContain('is worth at equal noise stays open.');
  });

  it('gives what remains to clipping against scaling, as far as it is clear of chance', () => {
    const text = release(controlResults());
    expect(text).toMatch(
      /Between mechanisms that begin at different levels, at an equal cosine, directional minus Gaussian is −4\.0 points \(95 % interval −[\d.]+ to −[\d.]+\); staircase minus Gaussian is −4\.0 points \([^)]*\)\. What remains there is due to clipping long gradients against scaling every gradient\./,
    );
    const wide = release(controlResults({ spread: 0.2 }));
    expect(wide).toContain(
      'That cannot be told from chance or is below half a point, so what clipping long gradients against scaling every gradient is worth at equal noise stays open.',
    );
    expect(wide).not.toContain('is due to');
    const mixed = (level: Level, cosine: number) =>
      0.6 + 0.3 * cosine - (level.mechanism === 'staircase' ? 0.05 * (1 - cosine) : 0);
    expect(release(controlResults({ accuracy: mixed }))).toContain(
      'What remains where the interval excludes 0 is due to clipping long gradients against scaling every gradient, and in part to the kind of noise.',
    );
  });

  it('says when there is nothing to compare', () => {
    const whole = controlResults();
    expect(release({ ...whole, equalCosine: [] })).toMatch(
      /^No two mechanisms have utility at the same cosine of what training releases, so this study cannot tell the noise from the scaling\. /,
    );
    const apart = whole.equalCosine.filter(({ sameStart }) => !sameStart);
    expect(release({ ...whole, equalCosine: apart })).toMatch(
      /^Directional noise and staircase noise share no range of cosines, so their kinds of noise cannot be compared\. Between /,
    );
  });

  it('says how far predicted and measured cosines lie apart at most, where there is a prediction', () => {
    const predicted = (level: Level, cosine: number) =>
      isScaled(level) ? (level.parameter === 1e4 ? cosine + 0.0121 : cosine) : undefined;
    expect(release(controlResults({ predicted }))).toMatch(
      /Measured cosines lie at most 0\.02 from those that the size of the noise predicts \(directional, κ = 10⁴: 0\.316 measured, 0\.328 predicted\)\./,
    );
    expect(release(controlResults({ predicted: () => undefined }))).not.toContain('predict');
  });

  it('says how much noise training gets where a shared gradient leaks equally', () => {
    const whole = controlResults();
    const reading = (cosine: number, predicted: number, mean: number) => ({
      level: directional(1e6),
      cosine,
      predicted,
      measured: estimate(mean, 0.2),
    });
    const noiseRatios = [
      {
        mechanisms: ['directional', 'staircase'] as const,
        batchSize: 128,
        readings: [reading(0.5, 64, 63.2), reading(0.1, 12.9, 13.4)],
      },
    ];
    expect(release({ ...whole, noiseRatios })).toMatch(
      /Where one shared gradient keeps the same cosine under both, the noise that staircase noise puts on training has 13 to 63 times the variance of that of directional noise \(predicted: 13 to 64\)\.$/,
    );
    expect(release(whole)).not.toContain('times the variance');
  });

  it('is not in a study whose levels say nothing of where curves begin', () => {
    expect(release(makeResults({ levels: [none, gaussian(1), directional(1e3)] }))).toBe('');
  });
});

// All scores together.

import { describe, expect, it } from 'vitest';
import {
  cosine,
  openLexicon,
  scoreTexts,
  splitters,
  summarizeScores,
  type TextScores,
} from '../../src/metrics/index.js';
import { seededSource } from '../../src/random/index.js';

const lexicon = openLexicon();
/** Texts as counts of three letters. */
const embed = async (texts: readonly string[]) =>
  texts.map((text) => ['a', 'e', 'o'].map((letter) => text.split(letter).length - 1));

describe('scores of texts', () => {
  it('are 1 for the text itself, except METEOR, whose penalty never vanishes', async () => {
    const [scores] = await scoreTexts(['They met Bob there'], ['They met Bob there'], { lexicon, embed });
    const { meteor, meteorNltk, ...others } = scores as TextScores;
    expect(meteor).toBeCloseTo(1 - 0.5 / 64, 12);
    expect(meteorNltk).toBe(meteor);
    expect(Object.values(others)).toEqual(Object.values(others).map(() => expect.closeTo(1, 12)));
    expect(Object.keys(others)).toContain('factsRecovered');
  });

  it('are 0 where nothing was recovered', async () => {
    const [scores] = await scoreTexts(['a text'], [''], { lexicon });
    expect(Object.values(scores as object).every((value) => value === 0)).toBe(true);
    expect(scores).not.toHaveProperty('cosine');
  });

  it('split words with the given splitter', async () => {
    const score = async (splitWords?: (text: string) => string[]) =>
      (await scoreTexts(['It works.'], ['it works'], { lexicon, ...(splitWords && { splitWords }) }))[0]?.lcsRatio;
    expect([await score(), await score(splitters.words)]).toEqual([1 / 2, 2 / 3]);
  });

  it('have means over those texts that have them', async () => {
    const scores = await scoreTexts(['so Bob left', 'so what'], ['so Bob left', ''], { lexicon });
    const means = summarizeScores(seededSource(1), scores);
    expect(means.rougeL).toMatchObject({ mean: 0.5, lower: 0, upper: 1, count: 2 });
    expect(means.factsRecovered).toMatchObject({ mean: 1, count: 1 });
    expect(means).not.toHaveProperty('cosine');
  });

  it('need as many guesses as truths', async () => {
    await expect(scoreTexts(['a'], [], { lexicon })).rejects.toThrow(
      'expected as many hypotheses as references, got 0 and 1',
    );
  });
});

describe('cosine', () => {
  it('is the cosine of the angle between vectors, and 0 for a zero vector', () => {
    expect(cosine([1, 0], [1, 1])).toBeCloseTo(Math.SQRT1_2, 12);
    expect(cosine([0, 0], [1, 1])).toBe(0);
    expect(cosine([0.1, 0.7, 0.3], [0.1, 0.7, 0.3])).toBeLessThanOrEqual(1);
    expect(() => cosine([1], [1, 2])).toThrow('vectors of one length, got 1 and 2');
  });
});

// What `epsilens score` prints: scores in a fixed order, each with its meaning.

import { describe, expect, it } from 'vitest';
import { describeFileScores, describeScores } from '../../src/cli/score-text.js';
import { openLexicon, scoreTexts, summarizeScores, type TextScores } from '../../src/metrics/index.js';
import { seededSource } from '../../src/random/index.js';

const score = (references: string[], hypotheses: string[]) =>
  scoreTexts(references, hypotheses, {
    lexicon: openLexicon(),
    embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
  });

describe('the scores of two texts', () => {
  it('are one line each, with a meaning, whatever scores there are', async () => {
    const [scores] = (await score(['So Bob left.'], ['So Bob left.'])) as [TextScores];
    const lines = describeScores(scores).trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(Object.keys(scores).sort());
    for (const line of lines) expect(line).toMatch(/^\w+ +\d\.\d{4} {3}[a-z].{8,}$/);
    expect(lines[0]).toBe('lcsRatio        1.0000   words in the same order, as a share of the longer text');
  });

  it('leave out absent ones', () => {
    expect(describeScores({ rouge1: 0.12345, cosine: -0.5 } as TextScores)).toBe(
      'rouge1          0.1235   words, F1\ncosine          -0.5000   meaning, by sentence vectors\n',
    );
  });
});

describe('the scores of files', () => {
  it('have means, intervals, and how many texts have the score where not all do', async () => {
    const scores = await score(['So Bob left.', 'no names'], ['So Bob left.', 'no names']);
    const text = describeFileScores(summarizeScores(seededSource(1), scores), 2);
    const [head, ...lines] = text.trimEnd().split('\n');
    expect(head).toBe('score             mean   95 % interval      of 2 pairs');
    expect(lines[0]).toContain('lcsRatio        1.0000   1.0000 to 1.0000   words in the same order');
    expect(lines.filter((line) => line.endsWith('(1 texts have any)'))).toEqual([
      expect.stringMatching(/^factsRecovered {2}1\.0000/),
    ]);
  });

  it('use the singular for one pair', () => {
    const only = { mean: 0.5, lower: 0.25, upper: 0.75, count: 1 };
    expect(describeFileScores({ rougeL: only }, 1)).toBe(
      'score             mean   95 % interval      of 1 pair\n' +
        'rougeL          0.5000   0.2500 to 0.7500   words in the same order, F1\n',
    );
  });
});

// Scores of predicted classes against scikit-learn.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scoreClasses } from '../../src/metrics/index.js';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'classification.json'), 'utf8'));

describe('scores of classes', () => {
  it('are those of scikit-learn', () => {
    for (const { classes, truth, predicted, ...expected } of golden.cases) {
      const scores = scoreClasses(truth, predicted, classes);
      for (const [name, value] of Object.entries(expected)) {
        expect(scores[name as keyof typeof scores]).toBeCloseTo(value as number, 12);
      }
    }
  });

  it('are 1 for perfect predictions and 0 in correlation when one class is always predicted', () => {
    expect(scoreClasses([0, 1, 2], [0, 1, 2], 3)).toEqual({ accuracy: 1, matthews: 1, macroF1: 1 });
    expect(scoreClasses([0, 1, 1], [1, 1, 1], 2).matthews).toBe(0);
    expect(scoreClasses([0, 1], [1, 0], 2).matthews).toBe(-1);
  });

  it('refuse invalid labels', () => {
    expect(() => scoreClasses([0, 1], [0], 2)).toThrow('as many predictions as labels');
    expect(() => scoreClasses([], [], 2)).toThrow('as many predictions as labels');
    expect(() => scoreClasses([0, 2], [0, 1], 2)).toThrow('expected 0 to 1, got 2');
  });
});

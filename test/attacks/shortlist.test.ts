// The shortlist of tokens, against a plain sort.

import { describe, expect, it } from 'vitest';
import { shortlist } from '../../src/attacks/span/shortlist.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

describe('the shortlist', () => {
  const best = (scores: Float32Array) =>
    [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number));

  it('of a small vocabulary is the 64 best, in order', () => {
    const scores = fillNormal(seededSource('few'), new Float32Array(500));
    expect(shortlist(scores)).toEqual(best(scores).slice(0, 64));
    expect(shortlist(scores.slice(0, 10))).toEqual(best(scores.slice(0, 10)));
  });

  it('of a large one is exactly the best, although found on a sample', () => {
    for (let round = 0; round < 20; round++) {
      const scores = fillNormal(seededSource(`many ${round}`), new Float32Array(30_000));
      const found = shortlist(scores);
      expect(found).toEqual(best(scores).slice(0, found.length));
      // Fewer than 24 pass where 8 of the 23 best are in a sample of 1/16: in one round of 20,000.
      expect(found.length).toBeGreaterThanOrEqual(24);
    }
  });
});

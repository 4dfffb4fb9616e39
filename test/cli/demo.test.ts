// `epsilens demo` as a person uses it, and the texts it makes up.

import { describe, expect, it } from 'vitest';
import { encode, words, writeReview } from '../../src/cli/demo-text.js';
import { seededSource } from '../../src/random/index.js';
import { epsilens } from './epsilens.js';
import { inProcess } from './in-process.js';

describe('epsilens demo', () => {
  it('refuses bad arguments with one sentence and exit code 2', async () => {
    const { status, stdout, stderr } = await inProcess('demo', '--steps', '0');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain("argument '0' is invalid. Expected a whole number >= 1.");
    expect((await inProcess('demo', '--stepz', '3')).status).toBe(2);
  });

  it('trains the demonstration, with nothing but JSON on stdout when asked', () => {
    const { status, stdout, stderr } = epsilens('demo', '--steps', '120', '--json');
    expect([status, stderr]).toEqual([0, '']);
    const result = JSON.parse(stdout);
    // Guessing gives .50 on 1,024 reviews; the run is seeded and reaches about 1.
    expect(result.testAccuracy).toBeGreaterThan(0.9);
    expect(result.testLoss).toBeLessThan(0.3);
    expect(result.gflops).toBeGreaterThan(0);
  });

  it('prints a readable summary', async () => {
    const { stdout } = await inProcess('demo', '--steps', '2');
    expect(stdout).toMatch(/accuracy +\d+\.\d % on unseen reviews/);
    expect(stdout).toContain('Not private');
  });
});

describe('generated reviews', () => {
  it('are labelled by their judgement, turned around by "not"', () => {
    const source = seededSource(3);
    const good = ['good', 'fine', 'moving', 'clever', 'funny'];
    for (let index = 0; index < 500; index++) {
      const { text, label } = writeReview(source, 16);
      const positive = good.some((word) => text.split(' ').includes(word));
      expect(label, text).toBe(Number(positive !== text.split(' ').includes('not')));
      const ids = encode(text, 16);
      expect(ids.length).toBe(16);
      expect(ids.every((id) => id >= 0 && id < words.length)).toBe(true);
    }
  });
});

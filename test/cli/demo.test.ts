// `epsilens demo` as a person uses it.

import { describe, expect, it } from 'vitest';
import { epsilens } from './epsilens.js';
import { inProcess } from './in-process.js';

describe('epsilens demo', () => {
  it('refuses bad arguments with one sentence and exit code 2', async () => {
    const { status, stdout, stderr } = await inProcess('demo', '--steps', '1');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain("argument '1' is invalid. Expected a whole number >= 2.");
    expect((await inProcess('demo', '--stepz', '3')).status).toBe(2);
  });

  it('trains without and with privacy, with nothing but JSON on stdout when asked', () => {
    const { status, stdout, stderr } = epsilens('demo', '--steps', '4', '--json');
    expect([status, stderr]).toEqual([0, '']);
    const { plain, private: noisy, runtime, productGflops, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ model: 'bundled:bert-mini', parameters: 5_339_906, examples: 32, steps: 4 });
    // Two balanced classes and a new head: the loss begins near ln 2, and plain training brings it down.
    expect(plain.firstLoss).toBeCloseTo(Math.LN2, 1);
    expect(plain.lastLoss).toBeLessThan(plain.firstLoss - 0.02);
    expect(noisy.firstLoss).toBeCloseTo(plain.firstLoss, 4);
    expect(noisy.noiseMultiplier).toBe(1);
    for (const rate of [plain.examplesPerSecond, noisy.examplesPerSecond, productGflops]) {
      expect(rate).toBeGreaterThan(0);
    }
    expect(runtime).toEqual({ name: 'native', version: expect.stringMatching(/^1\.\d+\.\d+$/) });
  });

  it('prints a readable summary', async () => {
    const { stdout } = await inProcess('demo', '--steps', '2');
    expect(stdout).toMatch(/plain +loss 0\.\d{3} → 0\.\d{3}, \d+ examples\/s\n/);
    expect(stdout).toMatch(/engine +ONNX Runtime 1\.\d+\.\d+, native interface\n/);
    expect(stdout).toContain('The engine works here.');
  });
});

// Which recoveries stand out of the noise: by the floor where the truth is known, by the attack's own confidence where it is not.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  attackGradientFile,
  findAttack,
  type GradientAttack,
  isRecovered,
  openClient,
  recoveryThreshold,
  scoreSentences,
  spanParameters,
} from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { openLexicon } from '../../src/metrics/index.js';
import { loadModel, writeSafetensors } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

it.each([
  // One floor has no spread: a tenth above it.
  [[0.05], 0.15],
  [[0, 0, 0], 0.1],
  // Mean 0.2, deviation 0.2.
  [[0, 0.2, 0.4], 0.6],
])('takes the threshold from floors of %j', (floors, threshold) => {
  expect(recoveryThreshold(floors)).toBeCloseTo(threshold, 10);
});

it('needs floors, and accepts a text that is back in full whatever they are', () => {
  expect(recoveryThreshold([])).toBeUndefined();
  expect([0.6, 0.61, 1].map((score) => isRecovered(score, 0.6))).toEqual([false, true, true]);
  expect(isRecovered(1, 1.2)).toBe(true);
});

const sentence = (truth: string, guess: string, unrelated?: string) => ({
  index: 0,
  truth,
  guess,
  truthTokens: [],
  guessTokens: [],
  ...(unrelated !== undefined && { unrelated }),
});

it('marks every scored sentence, and none without a floor', async () => {
  const lexicon = openLexicon();
  const scored = await scoreSentences(
    [
      sentence('the cat sat on the mat', 'the cat sat on a mat', 'ir damn brothers the clerk light'),
      sentence('send the contract before noon', 'ir damn the brothers clerk', 'dolly burning the tess light'),
      sentence('hello world again', 'light tess burning', 'ir damn clerk'),
    ],
    { lexicon },
  );
  expect(scored.map(({ recovered }) => recovered)).toEqual([true, false, false]);
  const [alone] = await scoreSentences([sentence('a b', 'x y')], { lexicon });
  expect(alone).not.toHaveProperty('recovered');
});

it('tells a gradient in a file from pure noise of the same size by the confidence of the attack', async () => {
  const root = makeRoot();
  const model = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2, newHead: true });
  const text = 'h e l l o';
  const client = await openClient({
    model,
    data: { inputIds: [model.tokenizer.encode(text)], labels: [1] },
    shared: spanParameters({ model }),
  });
  const { gradients } = (await client.share([0], { mechanism: 'none' }, seededSource(1))).view;
  await client.close();
  const attack = findAttack('span') as GradientAttack;
  const largest = Math.max(...Object.values(gradients).map((one) => Math.max(...one.map(Math.abs))));
  /** The gradient times `signal`, with noise of this deviation. */
  const attackWith = async (signal: number, deviation: number, known = true) => {
    const noise = seededSource('noise of the file');
    const tensors = Object.entries(gradients).map(([name, exact]) => {
      const data = fillNormal(noise, new Float32Array(exact.length), { standardDeviation: deviation });
      for (const [i, one] of exact.entries()) data[i] = (data[i] as number) + signal * one;
      return [name, { shape: model.parameters.get(name)?.shape ?? [], data }] as const;
    });
    const file = join(root, 'gradient.safetensors');
    await writeSafetensors(file, Object.fromEntries(tensors));
    const options = readOptions(attack.options, {});
    return attackGradientFile({ attack, options, model, file, length: 7, ...(known && { noiseDeviation: deviation }) });
  };
  const little = largest * 1e-3;
  expect(await attackWith(1, little)).toMatchObject({ text, recovered: true });
  // The words of pure noise are words all the same.
  const nothing = await attackWith(0, little);
  expect([nothing.recovered, nothing.tokens.length]).toEqual([false, 7]);
  expect(await attackWith(1, little, false)).not.toHaveProperty('recovered');
});

// A study of LoRA: the adapter is trained, and its gradients are shared with a curious server.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectResults, runStudy, studyFromYaml } from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();

it('trains and shares the adapter of every seed, and refuses an unknown layer under its key', async () => {
  const plain = await tinyStudy(root);
  const { trainable: _, ...training } = plain.training;
  const { attacks: __, ...rest } = plain;
  const study = studyFromYaml(
    JSON.stringify({
      ...rest,
      training: { ...training, lora: { rank: 2 } },
      sharing: { parameters: 'lora' },
      mechanisms: { gaussian: { noise: [0.001] } },
      seeds: [1],
      attacks: { membership: {}, likelihood: { count: 2, maxTokens: 6, refinement: 'none' } },
    }),
    'tiny',
  );
  expect(study.training).toMatchObject({ trainable: 'lora', lora: { rank: 2, rankStabilized: false } });
  const folder = join(root, 'out');
  const run = await runStudy({ study, folder, jobs: 0 });
  expect(run).toMatchObject({ failed: 0, left: 0 });
  const results = await collectResults(folder);
  const { trainable, shared } = await openStudyInputs(study);
  expect(trainable.numbers).toBe(2 * 2 * 2 * (32 + 32) + 66);
  expect(shared.names).toEqual(trainable.names);
  expect(results.trainable.numbers).toBe(trainable.numbers);
  const wrong = studyFromYaml(
    JSON.stringify({ ...rest, training: { ...training, lora: { targets: 'q_proj' } } }),
    'tiny',
  );
  await expect(openStudyInputs(wrong)).rejects.toThrow('no linear layer is called "q_proj"');
  expect(() => studyFromYaml('{name: a, training: {lora: {rank: 0}}}', 'a')).toThrow(
    'training.lora.rank: expected a whole number >= 1',
  );
}, 60_000);

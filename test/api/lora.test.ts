// Fine-tuning with LoRA from end to end: what it learns, the run's folder, what it promises, and the same model loaded again.

import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyModels } from '../../src/api/index.js';
import { type FineTuneOptions, fineTune, loadModel } from '../../src/index.js';
import { inProcess } from '../cli/in-process.js';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(() => writeReviews(root));
const fresh = () => mkdtempSync(join(root, 'run-'));
const plain = { model, data, epochs: 4, batchSize: 8 } as const;
const settings = { ...plain, lora: { rank: 2 } } as const;
const isPrivate = { privacy: { noiseMultiplier: 2, accountant: 'rdp' } } as const;
const texts = ['a a c', 'b b'];

describe('fine-tuning with LoRA', () => {
  it('learns, with adapters and classifier alone', async () => {
    const run = await fineTune({ ...settings, epochs: 20, learningRate: 0.02 });
    expect(run.scores.validation?.accuracy).toBeGreaterThan(0.9);
    expect(run.trainable.selection).toBe('lora');
    // Two layers, two maps each, rank 2 from and to 32; a classifier of 2 × 32 + 2.
    expect(run.trainable.parameters).toBe(2 * 2 * 2 * (32 + 32) + 66);
    expect(run.trainable.names.every((name) => /lora_[AB]\.weight$|^classifier\./.test(name))).toBe(true);
    expect(run.adapter).toMatchObject({ rank: 2, alpha: 4 });
    expect(run.cachedFeatures).toBe(false);
  });

  it.each<[string, Partial<FineTuneOptions>]>([
    ['gaussian', isPrivate],
    ['normalised gaussian', { privacy: { noiseMultiplier: 2, clipping: 'normalise', accountant: 'rdp' } }],
    ['directional', { privacy: { mechanism: 'directional', concentration: 1e4 } }],
    ['directional by layer', { privacy: { mechanism: 'directional', concentration: 1e4, parameterGroups: 'layers' } }],
  ])('is private with %s noise, although the first maps have no gradient at first', async (_, privacy) => {
    const { privacy: result, steps } = await fineTune({ ...settings, ...privacy });
    expect(result).toMatchObject({ stepsCounted: steps, nonFinite: 0 });
  });

  it('saves PEFT’s layout, with a promise that is about this adapter of this base model', async () => {
    const folder = fresh();
    const run = await fineTune({ ...settings, ...isPrivate, folder: join(folder, 'run') });
    const saved = join(folder, 'run', 'model');
    expect(existsSync(join(saved, 'model.safetensors'))).toBe(false);
    const again = await loadModel(saved);
    expect(await again.classify(texts)).toEqual(await run.model.classify(texts));
    expect(again.classes).toEqual(run.model.classes);
    expect(again.privacy?.guarantee).toEqual(run.privacy.guarantee);
    await expect(verifyModels([saved])).resolves.toMatchObject({ confirmed: true });
    // Trained further, it keeps its adapter, and says what came before.
    const further = await fineTune({ ...plain, ...isPrivate, model: saved, epochs: 1 });
    expect(further.trainable.selection).toBe('lora');
    expect(further.privacy.statement.join(' ')).toContain('started from a model with a guarantee of its own');

    const path = join(saved, 'adapter_config.json');
    const config = JSON.parse(readFileSync(path, 'utf8'));
    const otherBase = join(folder, 'base');
    cpSync(model, otherBase, { recursive: true });
    const weights = readFileSync(join(otherBase, 'model.safetensors'));
    weights[weights.length - 4] = (weights[weights.length - 4] as number) ^ 1;
    writeFileSync(join(otherBase, 'model.safetensors'), weights);
    writeFileSync(path, JSON.stringify({ ...config, base_model_name_or_path: otherBase }));
    expect((await loadModel(saved)).privacy).toBeUndefined();
    await expect(verifyModels([saved])).resolves.toMatchObject({
      models: [{ status: 'contradicted', findings: [expect.stringContaining('another base model')] }],
    });
    writeFileSync(path, JSON.stringify({ ...config, base_model_name_or_path: 'not/here' }));
    await expect(verifyModels([saved])).resolves.toMatchObject({
      models: [
        { status: 'unconfirmed', findings: [expect.anything(), expect.stringContaining('not/here is not here')] },
      ],
    });
  });

  it('merges where that is asked for, which saves a plain model with the same promise', async () => {
    const folder = fresh();
    const run = await fineTune({
      ...settings,
      ...isPrivate,
      lora: { rank: 2, merge: true },
      folder: join(folder, 'run'),
    });
    const merged = await loadModel(join(folder, 'run', 'model'));
    expect([merged.adapter, run.adapter]).toEqual([undefined, undefined]);
    expect(await merged.classify(texts)).toEqual(await run.model.classify(texts));
    await expect(verifyModels([join(folder, 'run', 'model')])).resolves.toMatchObject({ confirmed: true });
    const later = join(folder, 'later');
    const adapted = await fineTune({ ...settings, ...isPrivate });
    await adapted.model.save(later, { merge: true });
    const [before, after] = [await adapted.model.classify(texts), await (await loadModel(later)).classify(texts)];
    for (const [place, { probability }] of before.entries())
      expect(after[place]?.probability).toBeCloseTo(probability, 5);
  });

  it('refuses options that do not fit, in one sentence', async () => {
    await expect(fineTune({ ...settings, lora: { rank: 0 } })).rejects.toThrow(
      'invalid rank: expected a whole number >= 1, got 0',
    );
    await expect(fineTune({ ...settings, lora: { ranks: 2 } as never })).rejects.toThrow(
      'unknown option ranks: expected rank, alpha, targets, rankStabilized',
    );
    await expect(fineTune({ ...settings, trainable: 'all' })).rejects.toThrow(
      'its own numbers must stay those of the base model',
    );
    await expect(fineTune({ ...plain, trainable: 'lora' })).rejects.toThrow('no parameter is called "lora"');
  });
});

describe('epsilens train with LoRA', () => {
  const common = ['--model', model, '--data', data, '--epochs', '2', '--batch-size', '8'];

  it('says what it trained and where it is, and resumes only with the same adapter', async () => {
    const out = join(fresh(), 'out');
    const { status, stdout, stderr } = await inProcess(
      'train',
      ...common,
      '--lora-rank',
      '2',
      '--lora-targets',
      'key',
      '--out',
      out,
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('(lora)');
    expect(stdout).toMatch(/A new LoRA\s+adapter of 2 layers was added/);
    expect(stdout).toContain('a LoRA adapter in PEFT’s layout');
    expect(JSON.parse(readFileSync(join(out, 'model', 'adapter_config.json'), 'utf8'))).toMatchObject({
      r: 2,
      lora_alpha: 4,
      target_modules: ['key'],
    });
    const classified = await inProcess('classify', '--model', join(out, 'model'), '--text', 'a a');
    expect(classified.status).toBe(0);
    const other = await inProcess(
      'train',
      ...common,
      '--lora-rank',
      '3',
      '--lora-targets',
      'key',
      '--out',
      out,
      '--resume',
    );
    expect(other.status).toBe(1);
    expect(other.stderr).toContain('run.json');
  });

  it('names its flags in errors', async () => {
    const out = join(fresh(), 'out');
    const wrong = await inProcess('train', ...common, '--lora-targets', 'q_proj', '--out', out);
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('invalid --lora-targets: no linear layer is called "q_proj"'),
    ]);
    const alone = await inProcess('train', ...common, '--merge', '--out', out);
    expect([alone.status, alone.stderr]).toEqual([
      2,
      expect.stringContaining('--merge has an effect only with --lora-rank'),
    ]);
    expect(existsSync(out)).toBe(false);
  });
});

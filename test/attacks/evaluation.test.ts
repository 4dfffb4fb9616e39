// A whole reconstruction: what it keeps, how it resumes and stops, what progress it reports, and where its floor comes from.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackedModel,
  type EvaluationOptions,
  type EvaluationProgress,
  evaluateReconstruction,
  openAttackedModel,
  type ReconstructionJob,
  type ReconstructionResult,
  recoveryThreshold,
} from '../../src/attacks/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const texts = ['a b c d', 'the cat', 'z y x w v'];
let [path, model] = ['', undefined as unknown as AttackedModel];
/** The result of one uninterrupted run without a folder. */
let whole: ReconstructionResult;
beforeAll(async () => {
  path = await writeTiny(join(root, 'bert'), 'bert');
  model = await openAttackedModel(path, { numLabels: 2, seed: 1 });
  whole = await evaluate(jobOf());
});

const jobOf = (changes: Partial<ReconstructionJob> = {}, sentences = texts): ReconstructionJob => ({
  attack: 'span',
  options: {},
  model: path,
  numLabels: 2,
  examples: { inputIds: sentences.map((text) => model.tokenizer.encode(text)), labels: sentences.map((_, i) => i % 2) },
  // Noise, so that sentences and cosines depend on every draw.
  protection: { mechanism: 'cosine', cosine: 0.5 },
  seed: 4,
  ...changes,
});
const evaluate = (job: ReconstructionJob, options: EvaluationOptions = {}) =>
  evaluateReconstruction(job, { model, withoutSimilarity: true, ...options });
/** All but the clock. */
const timeless = ({ batches, ...result }: ReconstructionResult) => ({
  ...result,
  batches: batches.map(({ seconds: _, ...rest }) => rest),
});
const linesOf = (folder: string) => readFileSync(join(folder, 'batches.jsonl'), 'utf8').trimEnd().split('\n');

describe('results in a folder', () => {
  it('hold one line per batch, the settings without the text, and the report, readable by the owner only', async () => {
    const folder = join(root, 'kept');
    const result = await evaluate(jobOf(), { folder });
    expect(linesOf(folder).map((line) => JSON.parse(line).batch)).toEqual([0, 1, 2]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const settings = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
    expect(settings).toMatchObject({ attack: 'span', seed: 4, sentences: 3 });
    expect(settings).not.toHaveProperty('examples');
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(result)));
  });

  it('resume after a line that was cut off, with the same result, and do not repeat what is whole', async () => {
    const folder = join(root, 'cut');
    await evaluate(jobOf(), { folder });
    const [first = '', second = ''] = linesOf(folder);
    writeFileSync(join(folder, 'batches.jsonl'), `${first}\n${second.slice(0, 30)}`);
    const attacked: number[] = [];
    const onProgress = ({ stage, done }: EvaluationProgress) => stage === 'gradients' && attacked.push(done);
    expect(timeless(await evaluate(jobOf(), { folder, onProgress }))).toEqual(timeless(whole));
    expect(attacked).toEqual([1, 2]);
    expect(linesOf(folder)[0]).toBe(first);
    expect(linesOf(folder).map((line) => JSON.parse(line).batch)).toEqual([0, 1, 2]);
  });

  it('are trusted: batches in the folder are not attacked again', async () => {
    const folder = join(root, 'believed');
    await evaluate(jobOf(), { folder });
    const lines = linesOf(folder).map((line) => JSON.parse(line));
    lines[1].guesses = [model.tokenizer.encode('q q')];
    writeFileSync(join(folder, 'batches.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await evaluate(jobOf(), { folder })).sentences[1]?.guess).toBe('q q');
  });

  it('of other settings or other text are refused, and stay as they are', async () => {
    const folder = join(root, 'refused');
    await evaluate(jobOf(), { folder });
    const before = readFileSync(join(folder, 'batches.jsonl'), 'utf8');
    for (const other of [
      jobOf({ seed: 5 }),
      jobOf({ protection: { mechanism: 'none' } }),
      jobOf({}, ['a b c e', ...texts.slice(1)]),
    ])
      await expect(evaluate(other, { folder })).rejects.toThrow('holds results of other settings');
    expect(readFileSync(join(folder, 'batches.jsonl'), 'utf8')).toBe(before);
  });
});

describe('an evaluation', () => {
  it('reports its stages in order and calls onOpen once, before the first batch', async () => {
    const calls: string[] = [];
    await evaluate(jobOf({}, texts.slice(0, 2)), {
      onOpen: async ({ attack, reconstruction }) => {
        calls.push(`open ${attack.name} ${reconstruction.batches.length}`);
      },
      onProgress: ({ stage, done, all }) => calls.push(`${stage} ${done}/${all}`),
    });
    // The stage `attack` is reported when the gradient is there and when the batch is done.
    const batch = (n: number) => [`gradients ${n}/2`, `attack ${n}/2`, `attack ${n + 1}/2`];
    expect(calls).toEqual(['open span 2', ...batch(0), ...batch(1), 'scores 2/2']);
  });

  it('stops at a signal, keeps what was done, and resumes from there', async () => {
    const [folder, stop] = [join(root, 'stopped'), new AbortController()];
    const onProgress = ({ done }: EvaluationProgress) => done === 2 && stop.abort();
    const part = await evaluate(jobOf(), { folder, signal: stop.signal, onProgress });
    expect(part.finished).toBe(false);
    expect(part.sentences.map(({ guess }) => guess)).toEqual(whole.sentences.slice(0, 2).map(({ guess }) => guess));
    expect(linesOf(folder)).toHaveLength(2);
    const rest = await evaluate(jobOf(), { folder });
    expect(timeless(rest)).toEqual(timeless(whole));
    expect(rest.finished).toBe(true);
  });

  it('that is stopped after one of several batches has no floor: there is nothing to take it from yet', async () => {
    const [stop, stages] = [new AbortController(), new Set<string>()];
    const onProgress = ({ done, stage }: EvaluationProgress) => {
      stages.add(stage);
      if (done === 1) stop.abort();
    };
    const part = await evaluate(jobOf(), { signal: stop.signal, onProgress });
    expect([part.sentences.length, part.finished]).toEqual([1, false]);
    expect(part).not.toHaveProperty('floor');
    expect(stages).not.toContain('floor');
  });

  it('that is stopped before its first batch has no sentences and no floor', async () => {
    const folder = join(root, 'nothing');
    const none = await evaluate(jobOf({}, texts.slice(0, 1)), { folder, signal: AbortSignal.abort() });
    expect(none).toMatchObject({ finished: false, sentences: [], batches: [] });
    expect(none).not.toHaveProperty('floor');
    expect(existsSync(join(folder, 'batches.jsonl'))).toBe(false);
  });

  it('takes the floor from random words for one batch, from the next batch for several', async () => {
    const clean = { protection: { mechanism: 'none' } } as const;
    const stages: string[] = [];
    const one = await evaluate(jobOf(clean, ['a b c d']), { onProgress: ({ stage }) => stages.push(stage) });
    expect(one.floor?.of).toBe('random words');
    expect(stages.slice(-2)).toEqual(['floor', 'scores']);
    expect(one.sentences[0]?.guess).toBe('a b c d');
    expect(one.sentences[0]?.unrelated).not.toBe('a b c d');

    // Without noise the guesses are the texts, so the floor can be counted by hand: common words in order, over four.
    const several = await evaluate(jobOf(clean, ['a b c d', 'a x c y', 'c d e f']));
    expect(several.sentences.map(({ unrelated }) => unrelated)).toEqual(['a x c y', 'c d e f', 'a b c d']);
    expect(several.sentences.map(({ floor }) => floor)).toEqual([2 / 4, 1 / 4, 2 / 4]);
    expect(several.floor).toEqual({
      mean: (0.5 + 0.25 + 0.5) / 3,
      of: 'another batch',
      // Twice the standard deviation of these three above their mean.
      threshold: expect.closeTo(1.25 / 3 + 2 * Math.sqrt((2 * (0.25 / 3) ** 2 + (0.5 / 3) ** 2) / 2), 10),
    });
    expect(several.sentences.every(({ recovered }) => recovered === true)).toBe(true);
  });
});

describe('an attack with a likelihood', () => {
  const likely = (changes: Partial<ReconstructionJob> = {}) =>
    jobOf({ attack: 'likelihood', shared: 'all', ...changes });

  it('is measured by certainty, by what its likelihood allows, and by a genie if one is asked', async () => {
    const clean = await evaluate(likely({ protection: { mechanism: 'none' }, genie: 2 }));
    expect(clean.certainty).toMatchObject({ share: { mean: 1, count: 3 }, given: 15, right: 15 });
    expect(clean.certainty?.reliability.map(({ from, answers }) => [from, answers])).toEqual([[0.99, 15]]);
    expect(clean.certainty?.calibrationError).toBeLessThan(0.01);
    expect(clean.search).toEqual({ failed: 0, texts: 3 });
    expect(clean.genie).toMatchObject({ right: 6, of: 6, accuracy: 1, chance: 1 / 16, texts: 3 });
    for (const { limit, genie, confidence, guessTokens } of clean.sentences) {
      expect(confidence).toHaveLength(guessTokens.length);
      expect(limit?.answer).toEqual(limit?.truth);
      expect(genie).toEqual({ places: 2, right: 2, byChance: 1 / 8 });
    }
    const unasked = await evaluate(likely({ protection: { mechanism: 'none' } }));
    expect(unasked).not.toHaveProperty('genie');
    expect(unasked.sentences[0]).not.toHaveProperty('genie');
    // Two sentences by themselves are rounded differently from two among many.
    const [own, among] = [unasked, clean].map(({ sentences }) => sentences[0]?.limit?.truth.likelihood as number);
    expect((own as number) / (among as number)).toBeCloseTo(1, 6);
    expect(unasked.sentences[0]?.limit?.searchFailed).toBe(false);
  });

  it('knows nothing for certain under overwhelming noise, and its genie guesses', async () => {
    const protection = {
      mechanism: 'gaussian',
      scope: 'joint',
      clipping: 'clip',
      clipNorm: 1,
      noiseMultiplier: 1e6,
    } as const;
    const { certainty, genie } = await evaluate(likely({ protection, genie: 4 }));
    expect(certainty?.share.mean).toBeLessThan(0.3);
    // 12 places at 1/16 each: 6 or more are right with a probability below 1e-4, if places are independent.
    expect(genie?.of).toBe(12);
    expect(genie?.right).toBeLessThan(6);
  });

  it('resumes with the same measures', async () => {
    const folder = join(root, 'likely');
    const first = await evaluate(likely({ genie: 1 }), { folder });
    writeFileSync(join(folder, 'batches.jsonl'), `${linesOf(folder)[0]}\n`);
    expect(timeless(await evaluate(likely({ genie: 1 }), { folder }))).toEqual(timeless(first));
    await expect(evaluate(likely({ genie: 2 }), { folder })).rejects.toThrow('holds results of other settings');
  });

  it('has a second floor, what its prior says without a gradient, and the higher one counts', async () => {
    const { floor, sentences } = await evaluate(likely({ options: { prior: 'rank' } }));
    // Ids after the special tokens are the letters, the most common first; [UNK] precedes them.
    for (const { ofPrior } of sentences) expect(ofPrior).toMatch(/^(\[UNK\] )?a b/);
    const priors = sentences.map(({ priorFloor }) => priorFloor as number);
    expect(floor?.prior).toBeCloseTo(priors.reduce((sum, one) => sum + one, 0) / 3, 12);
    const floors = sentences.map((one) => one.floor as number);
    expect(floor?.threshold).toBe(Math.max(recoveryThreshold(floors) as number, recoveryThreshold(priors) as number));
    expect(whole.floor).not.toHaveProperty('prior');
  });
});

describe('notes', () => {
  it('say once per batch where the span cannot say anything, without any text', async () => {
    const { hidden } = model.config;
    const long = Array.from({ length: hidden }, () => 'q').join(' ');
    expect(hidden).toBeLessThan(model.config.positions);
    const { batches } = await evaluate(jobOf({}, ['a b c d', long]));
    expect(batches[0]).not.toHaveProperty('notes');
    expect(batches[1]?.notes).toEqual([
      expect.stringMatching(new RegExp(`^The span says nothing about .* as the model is wide \\(${hidden}\\).*\\.$`)),
    ]);
    expect(batches[1]?.notes?.join()).not.toMatch(/\bq\b/);
  });
});

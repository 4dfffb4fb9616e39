// Everything that commands print fits a terminal of 80 columns, except for texts and paths, which nobody could copy otherwise.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAttack, type GradientAttack, type LossAttack, type WorldAttack } from '../../src/attacks/index.js';
import { type AccountFlags, account } from '../../src/cli/account-figures.js';
import { describeAccount } from '../../src/cli/account-text.js';
import { describeGradientFile, describeMembership, describeReconstruction } from '../../src/cli/attack-text.js';
import { describePredictions } from '../../src/cli/classify-text.js';
import type { Command } from '../../src/cli/command.js';
import { describe as describeDemo } from '../../src/cli/demo.js';
import { describeModels } from '../../src/cli/models.js';
import { describeFileScores, describeScores } from '../../src/cli/score-text.js';
import { describe as describeTraining } from '../../src/cli/train-report.js';
import { describeScoresReport, describeWorld } from '../../src/cli/world-text.js';
import { openTokenizer } from '../../src/data/index.js';
import { openLexicon, scoreTexts, summarizeScores, type TextScores } from '../../src/metrics/index.js';
import { seededSource } from '../../src/random/index.js';
import { makePlan, planStatement } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { epsilens } from './epsilens.js';
import { inProcess, makeProgram } from './in-process.js';

const columns = 80;
/** Lines that are too long, but for those of a text or a path. */
const tooLong = (text: string, exempt: RegExp = /^$/): string[] =>
  text.split('\n').filter((line) => [...line].length > columns && !exempt.test(line));

const pathsOf = (command: Command, path: readonly string[] = []): string[][] =>
  command.commands.flatMap((one) => [[...path, one.name()], ...pathsOf(one, [...path, one.name()])]);

describe('help fits 80 columns', () => {
  it.each(pathsOf(makeProgram()).map((path) => path.join(' ')))('of %s', async (path) => {
    const { stdout } = await inProcess(...path.split(' '), '--help');
    expect(stdout).toContain('Usage: ');
    expect(tooLong(stdout)).toEqual([]);
  });

  it('of epsilens itself', () => {
    expect(tooLong(epsilens('--help').stdout)).toEqual([]);
  });
});

const root = makeRoot();
const longSentence = 'A sentence of many words that says what was found and what to do about it. '.repeat(4).trim();
const longModel = `models/${'a-model-with-a-name-'.repeat(3)}`;
const figure = { value: -0.1234, lower: -0.2345, upper: 0.3456 };

describe('what commands print fits 80 columns', () => {
  it.each<[string, Partial<AccountFlags>]>([
    ['of one noise', { noise: 0.7, every: 40 }],
    ['with a bound that has no answer', { noise: 0.0001 }],
    ['of a target', { epsilon: 60, accountant: 'rdp', records: 100 }],
  ])('account %s', (_, changes) => {
    const usual = { sampleRate: 0.0253, steps: 100, delta: 1.23456e-5, accountant: 'pld', orders: 'default' };
    const flags = { ...usual, ...changes };
    expect(tooLong(describeAccount(flags, account(flags)))).toEqual([]);
  });

  it('attacks on gradients', async () => {
    const tokenizer = await openTokenizer(await writeTiny(join(root, 'model'), 'bert'));
    const sentence = { index: 0, truth: 'a b', guess: 'x y', truthTokens: ['[CLS]', 'a', 'b', '[SEP]'] };
    const scored = { ...sentence, guessTokens: sentence.truthTokens, scores: {} as TextScores };
    const summary = { lcsRatio: { mean: 0.5, lower: 0.25, upper: 0.75, count: 9 } };
    const result = {
      attack: 'decepticons',
      options: {},
      model: 'bundled:bert-mini',
      loss: 'masked',
      batchSize: 16,
      shared: { tensors: 74, numbers: 123_456_789, read: ['one', 'two'] },
      batches: [
        {
          batch: 0,
          cosine: { all: 0.5, read: 0.5 },
          figures: {},
          notes: [longSentence],
          seconds: { client: 123.4, attack: 1234.5 },
        },
      ],
      summary,
      floor: { mean: 0.125, of: 'another batch', threshold: 0.225 },
      certainty: {
        share: summary.lcsRatio,
        given: 12345,
        right: 12345,
        reliability: [
          { from: 0.99, to: 1, answers: 123456, right: 123456, confidence: 0.999, share: 1, lower: 0.999, upper: 1 },
        ],
        calibrationError: 0.123,
      },
      search: { failed: 123, texts: 1234 },
      genie: { right: 1234.5, of: 12345, accuracy: 0.1, lower: 0.1, upper: 0.1, chance: 0.0625, texts: 1234 },
      finished: false,
      protection: 'normal noise of 0.00012345, not clipped, each tensor by itself',
    } as const;
    const words = 'The server set 69 of 78 tensors: '.repeat(5);
    for (const name of ['span', 'decepticons']) {
      for (const recovered of [[true, false], [false], [true]]) {
        const sentences = recovered.map((one) => ({ ...scored, recovered: one }));
        const context = { lines: [words, words], tokenizer, colour: false };
        const text = describeReconstruction(findAttack(name) as GradientAttack, { ...result, sentences }, context);
        expect(text).toContain('The server set');
        expect(tooLong(text)).toEqual([]);
      }
    }
    const file = { text: 'a b', tokens: ['a', 'b'], confidence: [], figures: { rank: 123 }, recovered: false };
    const whole = { ...file, model: longModel, gradients: 'g.safetensors' };
    expect(tooLong(describeGradientFile(findAttack('span') as GradientAttack, whole, true))).toEqual([]);
  });

  it('attacks on losses', () => {
    const text = describeMembership(findAttack('membership') as LossAttack, {
      attack: 'membership',
      model: longModel,
      data: 'bundled:mail',
      members: 123_456,
      others: 123_456,
      othersFrom: 'validation',
      warnings: [longSentence],
      verdict: longSentence,
      auc: figure,
      advantage: figure,
      tprAt1: figure,
      tprAt01: figure,
      lossGap: figure,
      roc: [],
      floor: { auc: 0.512, advantage: 0.071, tprAt1: 0.01 },
      accuracy: { members: 0.955, others: 0.905 },
    });
    expect(tooLong(text)).toEqual([]);
  });

  it('attacks with models of their own, and on tables of scores', () => {
    const result = {
      auc: figure,
      advantage: figure,
      lossGap: figure,
      decision: { truePositiveRate: figure, falsePositiveRate: figure, advantage: figure, balancedAccuracy: figure },
      members: 123_456,
      others: 99,
      roc: [],
      floor: { auc: 0.512, advantage: 0.071, tprAt1: 0.01 },
      tprAt1: null,
      tprAt01: figure,
      verdict: longSentence,
    };
    const world = describeWorld(findAttack('lira') as WorldAttack, {
      ...result,
      attack: 'lira',
      model: longModel,
      data: 'bundled:mail',
      examples: 'halves',
      references: 128,
      training: {
        epochs: 100,
        batchSize: 1024,
        learningRate: 0.0012345,
        trainable: 'pooler+classifier',
        mechanism: 'gaussian-normalised',
        privateReferences: true,
      },
      accuracy: { members: 0.955, others: 0.905 },
      baseline: figure,
      baselineRoc: [],
      overTargets: { mean: 0.5, lower: 0.4, upper: 0.6, count: 12 },
      models: { trained: 129, found: 1000 },
    });
    expect(tooLong(world)).toEqual([]);
    const scores = describeScoresReport({
      scores: 'a-folder/with-a-long-name/scores-of-many-models.csv',
      members: 123_456,
      others: 123_456,
      references: 128,
      results: [{ ...result, attack: 'lira offline' }],
      skipped: [{ attack: 'lira online', reason: longSentence }],
      verdict: longSentence,
    });
    expect(tooLong(scores)).toEqual([]);
  });

  it.each([
    makePlan({
      mechanism: 'gaussian',
      noiseMultiplier: 0.3,
      examples: 1000,
      epochs: 3,
      batchSize: 10,
      accountant: 'rdp',
    }),
    makePlan({ mechanism: 'directional', concentration: 1e6, examples: 1000, epochs: 3, batchSize: 10 }),
    makePlan({ mechanism: 'none', examples: 1000, epochs: 3, batchSize: 10 }),
  ])('training with $mechanism noise', (plan) => {
    const scores = { loss: 0.5, accuracy: 0.9, matthews: 0.25, macroF1: 0.75 };
    const entries = Array.from({ length: plan.steps }, (_, step) => ({ step }));
    const statement = planStatement(plan, entries, { insecure: true });
    const text = describeTraining({
      model: longModel,
      data: 'bundled:mail',
      out: 'run',
      plan,
      classes: ['a', 'b'],
      trainable: { selection: 'pooler+classifier', names: [], parameters: 12_345_678 },
      newlyInitialized: ['classifier.weight', 'classifier.bias', 'bert.pooler.dense.weight', 'bert.pooler.dense.bias'],
      finished: true,
      steps: plan.steps,
      seconds: 12_345.6,
      scores: { train: scores, validation: scores, test: scores },
      trainTestGap: 0.05,
      cachedFeatures: true,
      private: false,
      dataNotes: {
        rows: { train: 123_456 },
        skipped: { train: 12 },
        unlabelled: [],
        cut: {},
        maxTokens: 128,
        scarceClasses: [],
        repeated: 12_345,
        alsoInTrain: { test: 123 },
      },
      holdOut: {
        share: 0.1,
        seed: 1,
        examples: 123_456,
        heldOut: 12_345,
        omitted: 12,
        byDefault: true,
        asValidation: true,
      },
      privacy: { insecure: true, stepsCounted: plan.steps, statement, nonFinite: 3, zero: 2 },
    } as Parameters<typeof describeTraining>[0]);
    expect(text).toContain('Privacy: ');
    expect(tooLong(text)).toEqual([]);
  });

  it('scores', async () => {
    const texts = ['So Bob left Paris on 3 May.', 'no names'];
    const embed = async (all: readonly string[]) => all.map(() => Float32Array.of(1, 0));
    const scores = await scoreTexts(texts, texts, { lexicon: openLexicon(), embed });
    expect(tooLong(describeScores(scores[0] as TextScores))).toEqual([]);
    expect(tooLong(describeFileScores(summarizeScores(seededSource(1), scores), 2))).toEqual([]);
  });

  it('predictions, but for the text', () => {
    const classes = Array.from({ length: 20 }, (_, i) => `class-${i}`);
    const probabilities = Object.fromEntries(classes.map((name) => [name, 0.05]));
    const one = { text: 'a film', label: 'class-3', probability: 0.05, probabilities, truncated: true };
    const many = describePredictions([one], classes);
    expect(many).toMatch(/^label +probability +text\nclass-3 +5\.0 % {2}a film \(cut\)\n$/);
    const few = describePredictions([{ ...one, label: 'class-1' }], classes.slice(0, 3));
    expect(few).toMatch(/^label +class-0 +class-1 +class-2 +text\n/);
    for (const text of [many, few]) expect(tooLong(text)).toEqual([]);
  });

  it('data sets with many classes', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `text ${i},class number ${i % 30}`);
    const path = join(root, 'many.csv');
    writeFileSync(path, `text,label\n${rows.join('\n')}\n`);
    const model = await writeTiny(join(root, 'tokens'), 'bert');
    const split = await inProcess('data', path, '--tokenizer', model, '--split', '11-way');
    expect([split.status, split.stdout.includes('class number 29')]).toEqual([0, true]);
    expect(tooLong(split.stdout, new RegExp(root))).toEqual([]);
  });

  it('lists of models, but for their folders', () => {
    const known = { folder: `/cache/${'a-folder-with-a-name/'.repeat(5)}`, bytes: 123_456_789, commit: '0'.repeat(40) };
    const text = describeModels([
      {
        name: `hf:owner/${'long-'.repeat(8)}name`,
        ...known,
        architecture: 'bert',
        parameters: 109_482_240,
        positions: 512,
        languageHead: 'masked',
        classes: Array.from({ length: 20 }, (_, i) => `a class with number ${i}`),
        gradientAttacks: ['span', 'likelihood', 'dager', 'tiger', 'decepticons'],
      },
      { name: 'hf:owner/other', ...known, problem: longSentence },
    ]);
    expect(text).toContain('can classify (a class with number 0, ');
    expect(tooLong(text, /\/cache\//)).toEqual([]);
  });

  it('lists of studies', async () => {
    const { stdout } = await inProcess('studies');
    expect(stdout).toContain('quick');
    expect(tooLong(stdout)).toEqual([]);
  });

  it('the demo', () => {
    const training = { firstLoss: 0.7, lastLoss: 0.123, examplesPerSecond: 12_345 };
    const text = describeDemo({
      model: 'bundled:bert-mini',
      parameters: 3_236_354,
      examples: 32,
      steps: 1000,
      runtime: { version: '1.30.0', name: 'binding', fallbackReason: `because ${'of this and that '.repeat(8)}` },
      productGflops: 123,
      plain: training,
      private: { ...training, noiseMultiplier: 1 },
    } as Parameters<typeof describeDemo>[0]);
    expect(text).toContain('fallback    because');
    expect(tooLong(text)).toEqual([]);
  });
});

// What `epsilens attack` prints, from results that are made up.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findAttack,
  type GradientAttack,
  type LossAttack,
  type ReconstructionResult,
} from '../../src/attacks/index.js';
import {
  describeGradientFile,
  describeMembership,
  describeReconstruction,
  type ReconstructionContext,
} from '../../src/cli/attack-text.js';
import { openTokenizer } from '../../src/data/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const tokenizer = await openTokenizer(await writeTiny(join(root, 'model'), 'bert'));
const span = findAttack('span') as GradientAttack;
const tokensOf = (text: string) => ['[CLS]', ...text.split(' '), '[SEP]'];

const sentence = (truth: string, guess: string, index = 0) => ({
  index,
  truth,
  guess,
  truthTokens: tokensOf(truth),
  guessTokens: tokensOf(guess),
  scores: {} as ReconstructionResult['sentences'][number]['scores'],
});
const batch = (place: number, seconds: { client: number; attack: number }) => ({
  batch: place,
  cosine: { all: 0.25 + place / 2, read: 0.5 },
  figures: {},
  seconds,
});
const usual = {
  attack: 'span',
  options: {},
  model: 'bundled:bert-mini',
  loss: 'class',
  batchSize: 1,
  shared: { tensors: 6, numbers: 12_345, read: ['one', 'two'] },
  sentences: [sentence('a b c d', 'a x c d')],
  batches: [batch(0, { client: 0.5, attack: 1.25 })],
  summary: { lcsRatio: { mean: 0.75, lower: 0.75, upper: 0.75, count: 1 } },
  floor: { mean: 0.125, of: 'random words', threshold: 0.225 },
  finished: true,
  protection: 'no noise',
} as const satisfies ReconstructionResult & { protection: string };

const describeWith = (changes: object = {}, context: Partial<ReconstructionContext> = {}) =>
  describeReconstruction(span, { ...usual, ...changes }, { lines: [], tokenizer, colour: false, ...context });

describe('a reconstruction', () => {
  it('is described from the settings to the time it took', () => {
    expect(describeWith()).toBe(`Span attack on bundled:bert-mini: 1 sentence, loss of the class, no noise
Shared: 6 tensors, 12,345 numbers; the attack reads 2 tensors

  truth      a b c d
  recovered  a x c d
             3 of 4 tokens in place

  score              mean   95 % interval
  lcsRatio          0.750   one text: none

  Cosine between shared and true gradient: 0.250; over the tensors read: 0.500
  Floor: LCS ratio 0.125 when the gradient comes from random words.
  Above 0.225 a sentence counts as recovered.
  1.25 s per batch, and 0.50 s for the client.
`);
  });

  const certainty = {
    share: { mean: 0.5, lower: 0.25, upper: 0.75, count: 4 },
    given: 3,
    right: 2,
    reliability: [
      { from: 0.9, to: 0.99, answers: 3, right: 2, confidence: 0.95, share: 2 / 3, lower: 0.094, upper: 0.992 },
    ],
    calibrationError: 0.2833,
  };

  it('of an attack with a likelihood says how sure it may be, and how near it came to what can be known', () => {
    const genie = { right: 3.5, of: 8, accuracy: 0.4375, lower: 0.1, upper: 0.8, chance: 1 / 16, texts: 2 };
    const floor = { ...usual.floor, prior: 0.0625 };
    const text = describeWith({ certainty, search: { failed: 3, texts: 12 }, genie, floor });
    expect(text).toContain(`  lcsRatio          0.750   one text: none

  With certainty (confidence of 0.9 or more, and right): 0.500 of the tokens,
  0.250 to 0.750. 2 of the 3 tokens given that much are right.

  confidence      tokens    mean   right   95 % interval
  0.9 to 0.99          3   0.950   0.667   0.094 to 0.992
  Calibration error: 0.283

  The search failed in 3 of 12 texts: there the truth is likelier than the
  answer, so a better search would find more.

  A genie that knows every other token chose the true one at 3.5 of 8 places:
  0.438, 0.100 to 0.800; guessing gives 0.063.

  Cosine`);
    expect(text).toContain('Without any gradient, the prior alone scores 0.063.\n');
  });

  it('does not call a search good that was not judged, nor an attack sure that never is', () => {
    const unsure = { share: { mean: 0, lower: 0, upper: 0, count: 1 }, given: 0, right: 0, reliability: [] };
    const text = describeWith({ certainty: unsure, search: { failed: 0, texts: 2 } }).replace(/\s+/g, ' ');
    expect(text).toContain('0.000 of the tokens. No token was given that much.');
    expect(text).toContain('The search failed in none of 2 texts: no truth is likelier than its answer');
    expect(describeWith()).not.toMatch(/certainty|search|genie|prior/);
  });

  it('prints each note once', () => {
    const noted = [0, 1].map((place) => ({
      ...batch(place, { client: 0, attack: 0 }),
      notes: ['The text is too long.'],
    }));
    expect(describeWith({ batches: noted }).match(/Note: The text is too long\./g)).toHaveLength(1);
    expect(describeWith()).not.toContain('Note');
  });

  it('paints tokens in place green and others red, if colours are wanted', () => {
    const [green, red, plain] = ['\x1b[32m', '\x1b[31m', '\x1b[0m'];
    const painted = describeWith({}, { colour: true });
    expect(painted).toContain(`recovered  ${green}a${plain} ${red}x${plain} ${green}c${plain} ${green}d${plain}\n`);
    expect(painted).not.toContain('[CLS]');
    expect(describeWith()).not.toContain('\x1b');
  });

  it('shows no words where nothing stands out of the noise, unless asked', () => {
    const noise = (truth: string, place: number) => ({ ...sentence(truth, 'x y', place), recovered: false });
    const all = {
      sentences: [noise('a b', 0), noise('c d', 1)],
      floor: { ...usual.floor, of: 'another batch' as const },
    };
    const text = describeWith(all);
    expect(text).toContain(`  Nothing recovered from 2 sentences: no LCS ratio is above 0.225.
  What the attack guessed is noise (--show-guesses prints it).
`);
    expect(text).not.toMatch(/x y|truth|in place/);
    expect(text).toContain('lcsRatio');
    const asked = describeWith(all, { showGuesses: true });
    expect(asked).toContain(
      '  truth      a b\n  guessed    x y\n             0 of 2 tokens in place: noise, not recovered\n',
    );
    expect(describeWith(all, { showGuesses: true, colour: true })).toContain('guessed    \x1b[31mx');
  });

  it('shows what was recovered beside what was not', () => {
    const sentences = [
      { ...sentence('a b', 'a b', 0), recovered: true },
      { ...sentence('c d', 'x y', 1), recovered: false },
    ];
    const text = describeWith({ sentences });
    expect(text).toContain('  truth      a b\n  recovered  a b\n             2 of 2 tokens in place\n');
    expect(text).toContain('  truth      c d\n  recovered  nothing: its LCS ratio is not above 0.225\n\n');
    expect(text).not.toContain('x y');
  });

  it('counts tokens in place even if fewer or more came back', () => {
    expect(describeWith({ sentences: [sentence('a b c', 'a b')] })).toContain('2 of 3 tokens in place');
    expect(describeWith({ sentences: [sentence('a b', 'x a b')] })).toContain('0 of 2 tokens in place');
  });

  it('shows eight sentences, and says how many more there are', () => {
    const sentences = Array.from({ length: 11 }, (_, i) => sentence(`a ${'bcdefghijkl'[i]}`, 'a b', i));
    const text = describeWith({ sentences });
    expect(text).toContain('11 sentences, loss');
    expect(text.match(/^ {2}truth /gm)).toHaveLength(8);
    expect(text).toContain('  … and 3 more (--json or --out for all)\n');
    expect(describeWith({ sentences: sentences.slice(0, 8) })).not.toContain('more (');
  });

  it('takes means over batches, and gives intervals of several texts', () => {
    const text = describeWith({
      batchSize: 4,
      batches: [batch(0, { client: 1, attack: 2 }), batch(1, { client: 2, attack: 4 })],
      summary: {
        rougeL: { mean: 0.5, lower: 0.25, upper: 0.75, count: 8 },
        lcsRatio: { mean: 0.4, lower: 0.3, upper: 0.5, count: 8 },
        cosine: { mean: 0.9, lower: 0.8, upper: 1, count: 8 },
      },
    });
    expect(text).toContain('1 sentence in batches of 4, loss');
    expect(text).toContain('true gradient: 0.500; over the tensors read: 0.500');
    expect(text).toContain('3.00 s per batch, and 1.50 s for the client.');
    // The measure of attacks first, whatever the order of the result.
    const rows = text.split('\n').filter((line) => / to /.test(line) && !line.includes('gradient'));
    expect(rows).toEqual([
      '  lcsRatio          0.400   0.300 to 0.500',
      '  rougeL            0.500   0.250 to 0.750',
      '  cosine            0.900   0.800 to 1.000',
    ]);
  });

  it('says that it was stopped, even before the first batch was done', () => {
    const { floor: _, ...rest } = usual;
    const empty = { ...rest, sentences: [], batches: [], summary: {}, finished: false };
    const text = describeReconstruction(span, empty, { lines: [], tokenizer, colour: false });
    expect(text).toContain('0 sentences');
    expect(text).toContain('Stopped before the end: with --out, the same command resumes.');
    expect(text).not.toMatch(/Floor|Cosine|NaN|truth/);
  });

  it('describes what the attacker prepared, and the protection', () => {
    const text = describeWith({ protection: 'cosine 0.3', loss: 'next' }, { lines: ['two keys', 'one row'] });
    expect(text).toMatch(/^Span attack on .*, loss of the next token, cosine 0\.3\ntwo keys\none row\nShared: /);
  });
});

describe('gradients from a file', () => {
  it('give the text, its tokens and further figures', () => {
    const result = { text: 'a b', tokens: ['[CLS]', 'a', 'b', '[SEP]'], figures: { rank: 4, gap: 0.5 } };
    const text = describeGradientFile(span, { ...result, model: 'm', gradients: 'g.safetensors' } as never);
    expect(text).toBe(
      'Span attack on m with the gradients of g.safetensors: 4 tokens, rank 4, gap 0.5\n\n  a b\n\n  [CLS] a b [SEP]\n',
    );
  });
});

describe('gradients of noise from a file', () => {
  const result = { text: 'a b', tokens: ['[CLS]', 'a', 'b', '[SEP]'], figures: { rank: 4 }, recovered: false };
  const written = (showGuesses?: boolean) =>
    describeGradientFile(span, { ...result, model: 'm', gradients: 'g' } as never, showGuesses);

  it('give no words unless asked', () => {
    expect(written()).toBe(
      'Span attack on m with the gradients of g: 4 tokens, rank 4\n\n  Nothing recovered: on pure noise of this size the attack is as sure of its\n  tokens. What it guessed is noise (--show-guesses prints it).\n',
    );
    expect(written(true)).toMatch(/tokens\. It guessed:\n\n {2}a b\n\n {2}\[CLS\] a b \[SEP\]\n$/);
  });
});

describe('membership', () => {
  const figure = (value: number) => ({ value, lower: value - 0.1, upper: value + 0.1 });
  const membership = {
    attack: 'membership',
    model: 'out/model',
    data: 'mail',
    othersFrom: 'held-out',
    members: 300,
    others: 200,
    auc: figure(0.6),
    advantage: figure(0.2),
    tprAt1: figure(0.3),
    tprAt01: figure(0.15),
    lossGap: figure(-0.4),
    roc: [],
    floor: { auc: 0.51, advantage: 0.07, tprAt1: 0.01 },
    accuracy: { members: 0.95, others: 0.9 },
    warnings: [],
    verdict: 'Members can be told from others.',
  } as const;

  it('is a table of figures with intervals and what chance gives', () => {
    const text = describeMembership(findAttack('membership') as LossAttack, { ...membership, tprAt01: null });
    const [head, further, , ...rows] = text.split('\n');
    expect(`${head} ${further}`).toBe(
      'Membership attack on out/model, trained on mail: 300 members, 200 others (held out before training)',
    );
    expect(rows).toEqual([
      '  figure                  value   95 % interval    by chance',
      '  AUC                     0.600   0.500 to 0.700   0.5 (0.510 on others split)',
      '  best TPR − FPR          0.200   0.100 to 0.300   0.070 on others split in two',
      '  TPR at 1 % FPR          0.300   0.200 to 0.400   0.015',
      '  TPR at 0.1 % FPR      not measurable with 200 non-members: 1,000 are needed',
      '  loss gap               -0.400   -0.500 to -0.300   0',
      '',
      '  Accuracy 95.0 % on members, 90.0 % on others: a gap of 5.0 points.',
      '',
      '  Members can be told from others.',
      '',
    ]);
  });

  it('shows warnings before the verdict', () => {
    const warned = { ...membership, othersFrom: 'test', warnings: ['The others are the split test.'] } as const;
    const text = describeMembership(findAttack('membership') as LossAttack, warned);
    expect(text).toContain('200 others (the\nsplit test)\n');
    expect(text).toContain('\n\n  Warning: The others are the split test.\n\n  Members can be told from others.\n');
  });
});

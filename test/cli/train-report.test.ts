// What `epsilens train` reports at the end: when a model may be called private, and the words of the summary.

import { describe, expect, it } from 'vitest';
import type { FineTuneRun } from '../../src/api/index.js';
import { figuresOf } from '../../src/api/run-figures.js';
import { describe as describeTraining, summarize } from '../../src/cli/train-report.js';
import type { Plan } from '../../src/mechanisms/index.js';
import { makePlan, type TrainResult } from '../../src/training/index.js';

const sizes = { examples: 100, epochs: 2, batchSize: 10 };
const plain = makePlan({ mechanism: 'none', ...sizes });
const noisy = makePlan({ mechanism: 'gaussian', noiseMultiplier: 1, delta: 1e-3, accountant: 'rdp', ...sizes });
const scores = (accuracy: number) => ({ loss: 0.5, accuracy, matthews: 0.25, macroF1: 0.75 }) as TrainResult['train'];
const guarantee = noisy.guarantee as NonNullable<typeof noisy.guarantee>;

const privacy = { insecure: false, stepsCounted: 20, statement: [], nonFinite: 0, zero: 0 };
const result = (changes: Partial<TrainResult> = {}): TrainResult => ({
  parameters: {},
  finished: true,
  steps: 20,
  cached: false,
  train: scores(0.9),
  privacy,
  ...changes,
});
const nothingHeldOut = {
  share: 0,
  seed: 1,
  examples: 200,
  heldOut: 0,
  omitted: 0,
  byDefault: true,
  asValidation: false,
};
const dataNotes: FineTuneRun['dataNotes'] = {
  rows: { train: 100 },
  skipped: {},
  unlabelled: [],
  cut: {},
  maxTokens: 128,
  scarceClasses: [],
  repeated: 0,
  alsoInTrain: {},
};
const flags = { model: 'bundled:bert-mini', data: 'mail', out: 'runs/one' };
const run = (
  plan: Plan,
  changes: Partial<TrainResult> = {},
  newlyInitialized: readonly string[] = [],
): FineTuneRun => ({
  model: { classes: ['bad', 'good'] } as unknown as FineTuneRun['model'],
  ...figuresOf(result(changes), plan),
  trainable: { selection: 'head', names: ['weight', 'bias'], parameters: 66 },
  newlyInitialized,
  holdOut: nothingHeldOut,
  dataNotes,
  seconds: 12.34,
});
const report = (...given: Parameters<typeof run>) => summarize(flags, run(...given));
const tell = (...given: Parameters<typeof run>) => describeTraining(report(...given));

describe('the report of a training', () => {
  it('is the run as plain data, with the names of the classes in place of the model', () => {
    const { model, ...rest } = run(plain, {}, ['bias']);
    expect(report(plain, {}, ['bias'])).toEqual({ ...flags, classes: ['bad', 'good'], ...rest });
    expect(rest).toMatchObject({ plan: plain, steps: 20, scores: { train: scores(0.9) } });
    expect(rest).not.toHaveProperty('trainTestGap');
  });

  it('takes the gap to the test split, or to validation where there is none', () => {
    const gap = (changes: Partial<TrainResult>) => report(plain, changes).trainTestGap;
    expect(gap({ test: scores(0.7), validation: scores(0.8) })).toBeCloseTo(0.2, 12);
    expect(gap({ validation: scores(0.8) })).toBeCloseTo(0.1, 12);
  });

  it.each([
    ['a guarantee with secret noise', true, { guarantee }],
    ['noise from a seed', false, { guarantee, insecure: true }],
    ['no guarantee', false, {}],
    ['no finite epsilon', false, { guarantee: { ...guarantee, epsilon: Number.POSITIVE_INFINITY } }],
    ['an approximation only', false, { guarantee: { ...guarantee, bound: 'approximate' as const } }],
  ])('with %s calls the model private: %s', (_, isPrivate, changes) => {
    expect(report(noisy, { privacy: { ...privacy, ...changes } }).private).toBe(isPrivate);
  });
});

describe('the summary of a training', () => {
  it('says what was trained, the scores per split, and where the model is', () => {
    expect(
      tell(plain, { validation: scores(0.805), privacy: { ...privacy, statement: ['No privacy is promised.'] } }),
    ).toBe(`Trained 66 parameters (head) of bundled:bert-mini on mail: 20 steps, 12.3 s.

                 loss    accuracy   Matthews   macro F1
  train         0.500      90.0 %      0.250      0.750
  validation    0.500      80.5 %      0.250      0.750
  train − validation: 9.5 points of accuracy

Privacy: none
  No privacy is promised.

Dropout is off.
Saved in runs/one/model (Hugging Face layout).
`);
  });

  it('names noise, batches and steps of a private run', () => {
    expect(tell(noisy)).toContain(
      'Privacy: normal noise of 1 × clip norm 1; Poisson batches of 10 on average\n         (sample rate 0.1); 20 steps counted\n',
    );
    const shuffled = makePlan({ mechanism: 'directional', concentration: 5, ...sizes });
    expect(tell(shuffled)).toMatch(/; shuffled batches of 10; 20 steps\s+counted\n/);
  });

  it('wraps the statement, later lines further in', () => {
    const statement = [`First ${'word '.repeat(30)}end.`, 'Second.'];
    const lines = tell(noisy, { privacy: { ...privacy, statement } }).split('\n');
    const first = lines.findIndex((line) => line.startsWith('  First word'));
    expect(lines[first + 1]).toMatch(/^ {4}word/);
    expect(lines).toContain('  Second.');
    expect(Math.max(...lines.slice(first).map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('says what a reader should know, and nothing else', () => {
    const odd = { cached: true, privacy: { ...privacy, nonFinite: 3, zero: 2 } };
    const notes = [
      'The model had no weight, bias: these parameters started at random.',
      'The frozen part ran once; its features are cached for the next run.',
      '3 gradients were not finite and contributed nothing.',
      '2 gradients were zero.',
    ];
    for (const note of notes) {
      expect(tell(noisy, odd, ['weight', 'bias'])).toContain(`${note}\n`);
      expect(tell(noisy)).not.toContain(note.slice(-20));
    }
  });

  it('says how to continue a run that was stopped', () => {
    expect(tell(noisy, { finished: false, steps: 7 })).toMatch(
      /^Stopped after step 7: give the same command with --resume to continue\.\n/,
    );
  });

  it('says what was held out, and why', () => {
    const tellHeldOut = (changes: object) =>
      describeTraining(summarize(flags, { ...run(plain), holdOut: { ...nothingHeldOut, ...changes } })).replace(
        /\s+/g,
        ' ',
      );
    expect(tellHeldOut({})).not.toContain('Held out');
    expect(tellHeldOut({ share: 0.1, examples: 2000, heldOut: 207, asValidation: true })).toContain(
      'Held out 207 of 2,000 training examples at random (a share of 0.1), because the data has neither validation nor test labels (--hold-out 0 trains on all). They are the validation above.',
    );
    expect(tellHeldOut({ share: 0.2, heldOut: 40, omitted: 3, byDefault: false })).toContain(
      'Held out 40 of 200 training examples at random (a share of 0.2). 3 of their groups whose text is trained on serve neither.',
    );
  });
});

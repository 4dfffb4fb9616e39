// Studies as files: defaults, and one sentence for each thing that is wrong.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledStudies, parseStudy, readStudy, studyFromYaml, studyToYaml } from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { makeRoot } from '../models/tiny-models.js';

const root = makeRoot();
const read = (text: string) => studyFromYaml(text, 'some.yaml');

function messageOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

describe('a study file', () => {
  it('may leave out nearly everything', () => {
    const study = read('name: small');
    expect(study).toMatchObject({
      model: 'bundled:bert-mini',
      data: { source: 'bundled:mail', maxTokens: 64 },
      training: { trainable: 'pooler+classifier', clipNorm: 1 },
      sharing: { parameters: 'all', scope: 'joint' },
      mechanisms: {},
      attacks: {},
      seeds: [1, 2, 3],
    });
    expect(read('name: small\nattacks: {span: {}}').attacks.span).toEqual({
      count: 20,
      batchSize: 1,
      maxTokens: 32,
      unknownLengths: false,
    });
    expect(read('name: small\nattacks: {decepticons: {}, membership: {}}').attacks).toEqual({
      decepticons: { count: 24, batchSize: 8, maxTokens: 32, attacker: 'noise-aware' },
      membership: {},
    });
  });

  it('is the same after it was written and read again', () => {
    const study = read(
      'name: a\nmechanisms: {gaussian: {epsilon: [1, 8]}, directional: {concentration: [10]}}\nseeds: [7]',
    );
    expect(read(studyToYaml(study))).toEqual(study);
  });

  it.each([
    ['name: a\ndata: {maxtokens: 3}', 'unknown key data.maxtokens: did you mean maxTokens?'],
    ['name: a\nmodell: x', 'unknown key modell: did you mean model?'],
    ['name: a\nattacks: {span: {counts: 3}}', 'unknown key attacks.span.counts: did you mean count?'],
    [
      'name: a\nmechanisms: {laplace: {}}',
      'unknown key mechanisms.laplace: expected one of gaussian, gaussian-normalised, directional',
    ],
    ['name: a\ntraining: {epochs: 0}', 'invalid training.epochs: expected number to be >=1, got 0'],
    [
      'name: a\ntraining: {epochs: many}',
      'invalid training.epochs: expected a whole number >= 1, or {tune: [..]} with two or more, none twice, got "many"',
    ],
    [
      'name: a\ntraining: {learningRate: {tune: [0.1]}}',
      'invalid training.learningRate.tune: expected array to have >=2 items, got [0.1]',
    ],
    [
      'name: a\ntraining: {learningRate: {tune: [0.1, 0.1]}}',
      'invalid training.learningRate.tune: expected every value once, got [0.1,0.1]',
    ],
    [
      'name: a\ntraining: {tuning: {seeds: 1}}',
      'invalid training.tuning: expected learningRate or epochs as {tune: [..]} beside it, got {"seeds":1,"accounted":false}',
    ],
    [
      'name: a\nseeds: [1, 2]\ntraining: {learningRate: {tune: [0.1, 0.2]}, tuning: {seeds: 3}}',
      'invalid training.tuning.seeds: expected at most the 2 seeds of the study, got 3',
    ],
    [
      'name: a\nmechanisms: {gaussian: {epsilon: [8]}}\ntraining: {epochs: {tune: [1, 2]}}',
      'invalid training.epochs: expected one number of epochs, because the noise of mechanisms.gaussian.epsilon depends on it (or give noise instead), got {"tune":[1,2]}',
    ],
    [
      'name: a\nattacks: {membership: {}}\ntraining: {learningRate: {tune: [1, 2]}}\ndata: {split: calibration-paper}',
      'invalid data.split: expected no tuning beside attacks.membership, whose non-members are the validation examples of this split, got "calibration-paper"',
    ],
    [
      'name: a\nmechanisms: {gaussian: {noise: [1], accountant: exact}}',
      'invalid mechanisms.gaussian.accountant: expected ',
    ],
    [
      'name: a\nmechanisms: {directional: {concentration: [1], clipping: clip}}',
      'unknown key mechanisms.directional.clipping: expected one of concentration, epsilon, cosine, parameterGroups, sampler, accountant, neighbours',
    ],
    [
      'name: a\nmechanisms: {gaussian: {accountant: rdp}}',
      'invalid mechanisms.gaussian: expected one of noise, epsilon, cosine',
    ],
    [
      'name: a\nmechanisms: {gaussian: {noise: []}}',
      'invalid mechanisms.gaussian.noise: expected array to have >=1 items, got []',
    ],
    [
      'name: a\nmechanisms: {gaussian: {noise: [-1]}}',
      'invalid mechanisms.gaussian.noise.0: expected number to be >0, got -1',
    ],
    [
      'name: a\nmechanisms: {gaussian: {noise: [1, 1]}}',
      'invalid mechanisms.gaussian.noise: expected every value once, got [1,1]',
    ],
    [
      'name: a\nmechanisms: {gaussian: {noise: [1], epsilon: [1]}}',
      'invalid mechanisms.gaussian: expected one of noise, epsilon, cosine, got',
    ],
    [
      'name: a\nmechanisms: {directional: {}}',
      'invalid mechanisms.directional: expected one of concentration, epsilon, cosine, got {}',
    ],
    [
      'name: a\nmechanisms: {directional: {cosine: [1]}}',
      'invalid mechanisms.directional.cosine.0: expected number to be <1, got 1',
    ],
    ['name: a\nseeds: [1, 1]', 'invalid seeds: expected every seed once, got [1,1]'],
    ['name: a b', 'invalid name: expected letters, digits, dots and dashes, got "a b"'],
    ['model: x', 'invalid name: expected string, got nothing'],
    ['name: redacted', 'invalid name: expected another name than redacted, got "redacted"'],
    ['name: mine-redacted', 'invalid name: expected another name than redacted'],
    [
      'name: a\nattacks: {decepticons: {count: 8}}',
      'invalid attacks.decepticons: expected a count of two or more whole batches, got',
    ],
    [
      'name: a\nattacks: {decepticons: {attacker: kind}}',
      'invalid attacks.decepticons.attacker: expected noise-aware or published, got "kind"',
    ],
    [
      'name: a\nattacks: {lamp: {}}',
      'unknown key attacks.lamp: expected one of span, likelihood, dager, tiger, decepticons, membership',
    ],
    // Keys of 0.1 name the new form.
    ['name: a\ntraining: {lotSize: 3}', 'training.lotSize of epsilens 0.1 is now training.batchSize'],
    ['name: a\ntraining: {parameters: paper}', 'training.parameters of epsilens 0.1 is now training.trainable'],
    ['name: a\nmechanisms: {vmf: {kappa: [1]}}', 'mechanisms.vmf of epsilens 0.1 is now mechanisms.directional'],
    ['name: a\nattacks: {span: {sentences: 3}}', 'attacks.span.sentences of epsilens 0.1 is now attacks.span.count'],
    [
      'name: a\nattacks: {decepticons: {batches: 2}}',
      'attacks.decepticons.batches of epsilens 0.1 is now attacks.decepticons.count',
    ],
    ['- a', 'invalid study: expected object, got ["a"]'],
    ['', 'invalid study: expected object, got null'],
    ['name: [', 'not YAML: '],
    ['name: a\nname: b', 'not YAML: Map keys must be unique'],
  ])('%j is refused in one sentence', (text, sentence) => {
    const said = messageOf(text);
    // What is missing altogether has no line; all else stands on the last.
    expect(said.replace(/^some\.yaml: line (\d+): /, 'some.yaml: ').startsWith(`some.yaml: ${sentence}`), said).toBe(
      true,
    );
    const [, line] = /^some\.yaml: line (\d+): /.exec(said) ?? [];
    expect(line).toBe(
      sentence.includes('nothing') || sentence.startsWith('invalid study') ? undefined : `${text.split('\n').length}`,
    );
    expect(said).not.toContain('\n');
  });

  it('names everything that is wrong, with its line, in one message', () => {
    const text = `name: a b
description: [1]
trainig: {epochs: 3}
training:
  epochs: 0
  batchSize: many
  lotSize: 8
data:
  maxTokens: 1
  splt: calibration-paper
mechanisms:
  gaussian:
    noise: [1, -2, 3,
      0]
  laplace: {}
attacks:
  span:
    counts: 3
seeds: []`;
    expect(messageOf(text).split('\n')).toEqual([
      'some.yaml: 13 errors',
      '  line 1: invalid name: expected letters, digits, dots and dashes, got "a b"',
      '  line 2: invalid description: expected string, got [1]',
      '  line 3: unknown key trainig: did you mean training?',
      '  line 5: invalid training.epochs: expected number to be >=1, got 0',
      '  line 6: invalid training.batchSize: expected number, got "many"',
      '  line 7: training.lotSize of epsilens 0.1 is now training.batchSize',
      '  line 9: invalid data.maxTokens: expected number to be >=3, got 1',
      '  line 10: unknown key data.splt: did you mean split?',
      '  line 13: invalid mechanisms.gaussian.noise.1: expected number to be >0, got -2',
      '  line 14: invalid mechanisms.gaussian.noise.3: expected number to be >0, got 0',
      '  line 15: unknown key mechanisms.laplace: expected one of gaussian, gaussian-normalised, directional',
      '  line 18: unknown key attacks.span.counts: did you mean count?',
      '  line 19: invalid seeds: expected array to have >=1 items, got []',
    ]);
  });

  it('names every place that is not YAML', () => {
    expect(messageOf('name: a\nname: b\nmodel: x\nmodel: y\n').split('\n')).toEqual([
      'some.yaml: 2 errors',
      '  line 2: not YAML: Map keys must be unique',
      '  line 4: not YAML: Map keys must be unique',
    ]);
    expect(messageOf('name: *nobody')).toMatch(/^some\.yaml: not YAML: Unresolved alias[^\n]*nobody$/);
  });

  it('names everything that is wrong with plain data, which has no lines', () => {
    expect(() => parseStudy({ name: 1, modle: 'x' }, 'the study')).toThrow(
      'the study: 2 errors\n  invalid name: expected string, got 1\n  unknown key modle: did you mean model?',
    );
  });

  it('has paths relative to its own folder', async () => {
    mkdirSync(join(root, 'inner'));
    const path = join(root, 'inner', 'a.yaml');
    writeFileSync(path, 'name: a\nmodel: ../model\ndata: {source: data.csv}\nattacks: {span: {prior: ../lm}}');
    const { model, data, attacks } = await readStudy(path);
    expect([model, data.source]).toEqual([join(root, 'model'), join(root, 'inner', 'data.csv')]);
    expect(attacks.span?.prior).toBe(join(root, 'lm'));
  });
});

describe('situations', () => {
  const text = 'name: a\nattacks: {span: {}, decepticons: {}, membership: {}, updates: {steps: 5}}\n';

  it('leave only the attacks that are possible in them', () => {
    const attacksOf = (rest: string) => Object.keys(studyFromYaml(`${text}${rest}`, 'some.yaml').attacks);
    expect(attacksOf('')).toEqual(['span', 'decepticons', 'membership', 'updates']);
    expect(attacksOf('situations: [model]')).toEqual(['membership']);
    // Who sees more can do what those do who see less.
    expect(attacksOf('situations: [server]')).toEqual(['span', 'decepticons']);
  });

  it('need an attack', () => {
    expect(() => studyFromYaml('name: a\nattacks: {span: {}}\nsituations: [model]', 'some.yaml')).toThrow(
      'some.yaml: invalid situations: expected those that some attack of the study belongs to (gradients), got model: add an attack, such as membership',
    );
  });
});

describe('studies that come with the package', () => {
  it.each(bundledStudies())('%s can be read', async (name) => {
    expect((await readStudy(name)).name).toBe(name);
  });

  it('say what they need and which option gives it', async () => {
    const study = await readStudy('paper-bert-cola');
    await expect(openStudyInputs(study)).rejects.toThrow(
      'the study paper-bert-cola needs BERT-base-uncased, a folder in the Hugging Face layout: give it with model',
    );
    await expect(openStudyInputs({ ...study, model: 'bundled:bert-mini' })).rejects.toThrow(
      /needs GLUE's CoLA, .*: give it with data$/,
    );
  });

  it('are listed when an unknown one is asked for', async () => {
    await expect(readStudy('qick')).rejects.toThrow('unknown study qick: did you mean quick?');
    await expect(readStudy('missing.yaml')).rejects.toThrow('missing.yaml: no such file');
  });
});

// The library as a user meets it: import { … } from 'epsilens'.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ArgumentError,
  attack,
  FileError,
  type FineTuneOptions,
  type FineTuneRun,
  fineTune,
  type LanguageModel,
  loadDataSet,
  loadModel,
} from '../../src/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(() => writeReviews(root));
const settings = { epochs: 20, batchSize: 8, learningRate: 0.01 };
/** For what the types refuse too. */
const anything = (options: object) => options as never;

describe('fineTune', () => {
  let run: FineTuneRun;
  beforeAll(async () => {
    run = await fineTune({ model, data, ...settings, trainable: undefined as never });
  });

  it('gives back a model that classifies, and that saves itself to classify alike', async () => {
    const texts = ['a a c', 'b b', 'a a'];
    const predictions = await run.model.classify(texts);
    expect(predictions.map(({ label }) => label)).toEqual(['good', 'bad', 'good']);
    for (const { label, probability, probabilities } of predictions) {
      expect(probability).toBe(Math.max(...Object.values(probabilities)));
      expect(probabilities[label]).toBe(probability);
    }
    const folder = join(root, 'saved');
    await run.model.save(folder);
    const again = await loadModel(folder);
    expect(again.classes).toEqual(['bad', 'good']);
    expect(await again.classify(texts)).toEqual(predictions);
    // One text alone, and after its programs were freed.
    await again.close();
    expect(await again.classify(['b b'])).toEqual([predictions[1]]);
  });

  it('scores what it trained as the model classifies', async () => {
    const { splits, classes } = await loadDataSet(data);
    const validation = splits.validation ?? [];
    const predictions = await run.model.classify(validation.map(({ text }) => text));
    const right = predictions.filter(({ label }, i) => label === classes[validation[i]?.label as number]).length;
    expect(run.scores.validation?.accuracy).toBe(right / validation.length);
    expect(run.private).toBe(false);
    expect(run.privacy.statement[0]).toContain('There is no privacy guarantee');
  });

  it('is private if privacy is set, and says so', async () => {
    const noisy = await fineTune({ model, data, ...settings, epochs: 2, privacy: { epsilon: 8 } });
    expect(noisy.private).toBe(true);
    expect(noisy.plan).toMatchObject({ mechanism: 'gaussian', batchSize: 8, sampler: { kind: 'poisson' } });
    expect(noisy.privacy.guarantee?.epsilon).toBeLessThanOrEqual(8);
    expect(noisy.privacy.statement[0]).toMatch(/^Epsilon is 8 with delta/);
    const seeded = await fineTune({
      model,
      data,
      epochs: 1,
      batchSize: 8,
      privacy: { mechanism: 'directional', concentration: 100, insecureSeed: 3 },
    });
    expect([seeded.private, seeded.plan.mechanism]).toEqual([false, 'directional']);
  });

  it('refuses labels that look like texts, which would become public as class names', async () => {
    const file = join(root, 'swapped.csv');
    const rows = Array.from({ length: 30 }, (_, i) => `a b,text number ${i}`);
    writeFileSync(file, ['text,label', ...rows].join('\n'));
    await expect(fineTune({ model, data: file })).rejects.toThrow(
      '30 different labels in 30 training rows: class names become public with the model, so check labelColumn',
    );
    const classes = rows.map((row) => row.split(',')[1] as string);
    const listed = await loadDataSet(file, { classes });
    await expect(fineTune({ model, data: listed, epochs: 1, batchSize: 8, holdOut: 0 })).resolves.toMatchObject({
      finished: true,
    });
  });

  it('resumes under another spelling of the same data, and refuses other settings before anything is computed', async () => {
    const folder = join(root, 'spelt');
    const own = { model, epochs: 2, batchSize: 8, folder };
    await fineTune({ ...own, data });
    await expect(fineTune({ ...own, data: `${data}/.`, resume: true })).resolves.toMatchObject({ finished: true });
    const stages: string[] = [];
    const other = fineTune({
      ...own,
      data,
      resume: true,
      learningRate: 0.5,
      onProgress: ({ stage }) => void stages.push(stage),
    });
    await expect(other).rejects.toThrow('run.json: the run was started with learningRate = 0.001, this one has 0.5');
    expect(stages).toEqual(['data', 'model', 'plan']);
  });

  it('takes loaded models and data, and trains a fine-tuned model further', async () => {
    const loaded = await loadDataSet(data);
    const first = await fineTune({ model: await loadModel(model), data: loaded, ...settings, epochs: 1 });
    expect(first.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
    const second = await fineTune({ model: first.model, data: loaded, ...settings, epochs: 1 });
    expect(second.newlyInitialized).toEqual([]);
    expect(second.model.name).toBe(`${model} (fine-tuned)`);
    expect(second.scores.train.loss).toBeLessThan(first.scores.train.loss);
  });

  it('rejects with the reason of its signal, and resumes to the same model', async () => {
    const options: FineTuneOptions = { model, data, ...settings, folder: join(root, 'run') };
    const stop = new AbortController();
    const stopped = fineTune({
      ...options,
      checkpointEvery: 1,
      signal: stop.signal,
      onProgress: (now) => {
        if (now.stage === 'training' && now.step === 30) stop.abort(new Error('enough'));
      },
    });
    await expect(stopped).rejects.toThrow('enough');
    await expect(fineTune(options)).rejects.toThrow(
      'holds a run already: continue it with resume: true, or choose another folder',
    );
    const resumed = await fineTune({ ...options, resume: true });
    expect(resumed.scores).toEqual(run.scores);
    expect(existsSync(join(root, 'run', 'model', 'model.safetensors'))).toBe(true);
    const result = JSON.parse(readFileSync(join(root, 'run', 'result.json'), 'utf8'));
    expect(result).toMatchObject({ model, data, finished: true, classes: ['bad', 'good'] });
  });

  it('shows where it is', async () => {
    const stages: string[] = [];
    await fineTune({ model, data, epochs: 1, batchSize: 40, onProgress: ({ stage }) => stages.push(stage) });
    expect(stages.slice(0, 3)).toEqual(['data', 'model', 'plan']);
    expect(stages.at(-1)).toBe('training');
  });

  it.each([
    [{ epoch: 3 }, 'unknown option epoch of fineTune: expected model, data'],
    [{ privacy: { epsilon: 8, concentration: 3 } }, 'unknown option concentration of privacy'],
    [{ privacy: {} }, 'expected either epsilon or noiseMultiplier'],
    [
      { privacy: { mechanism: 'none' } },
      'invalid mechanism: expected gaussian, gaussian-normalised or directional, got none: leave privacy out',
    ],
    [{ resume: true }, 'resume needs folder'],
    [{ diagnostics: true }, 'diagnostics needs folder'],
    [{ optimizer: 'magic' }, 'expected adamw or sgd, got magic'],
    [{ epochs: '3' }, 'invalid epochs: expected a number, got "3"'],
    [{ epochs: 0 }, 'invalid epochs: expected a whole number >= 1, got 0'],
    [{ learningRate: null }, 'invalid learningRate: expected a number, got null'],
    [{ newHead: 'no' }, 'invalid newHead: expected true or false, got "no"'],
    [{ trainable: [] }, 'invalid trainable: expected a text, got an array'],
    [{ folder: 5 }, 'invalid folder: expected a text, got 5'],
    [{ signal: 'x' }, 'invalid signal: expected an AbortSignal'],
    [{ onProgress: 'x' }, 'invalid onProgress: expected a function'],
    [{ privacy: null }, 'invalid privacy: expected an object such as { epsilon: 8 }, got null'],
    [{ privacy: 8 }, 'invalid privacy: expected an object such as { epsilon: 8 }, got 8'],
    [{ privacy: { epsilon: 8, epochs: 1 } }, 'unknown option epochs of privacy: expected mechanism, epsilon'],
    [
      { privacy: { mechanism: 'magic' } },
      'invalid mechanism: expected gaussian, gaussian-normalised or directional, got magic',
    ],
    [{ data: null }, 'invalid data: expected the name, file or folder of a data set, or a loaded one, got null'],
    [{ data: [{ text: 'a', label: 'b' }] }, 'invalid data: expected the name, file'],
    [{ learningRate: 0 }, 'invalid learningRate: expected > 0, got 0'],
    [{ seed: 'x' }, 'invalid seed: expected a whole number >= 0, got x'],
    [{ privacy: { epsilon: -1 } }, 'invalid epsilon'],
    [{ batchSize: 4000 }, 'invalid batchSize: expected at most the 40 examples, got 4000'],
  ])('refuses %j', async (options, message) => {
    const refused = fineTune(anything({ model, data, ...options }));
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(ArgumentError);
  });

  it('refuses what is no source, and names the folder of a run', async () => {
    await expect(loadModel(undefined as never)).rejects.toThrow('invalid model: expected the name or folder');
    await expect(loadDataSet(null as never)).rejects.toThrow('invalid data: expected the name, file or folder');
    await expect(loadModel('bert-base-uncased')).rejects.toThrow('no such folder: give one in the Hugging Face layout');
    await expect(run.model.save(undefined as never)).rejects.toThrow('invalid folder');
    await expect(run.model.save(join(data, 'train.tsv'))).rejects.toThrow('expected a folder, got a file');
    mkdirSync(join(root, 'outer', 'model'), { recursive: true });
    await expect(loadModel(join(root, 'outer'))).rejects.toThrow(`is in ${join(root, 'outer', 'model')}`);
  });

  it('names a missing file by class', async () => {
    await expect(loadModel(join(root, 'none'))).rejects.toBeInstanceOf(FileError);
    await expect(loadDataSet(join(root, 'none.csv'))).rejects.toBeInstanceOf(FileError);
    await expect(loadModel(model, anything({ labels: 3 }))).rejects.toThrow('unknown option labels of loadModel');
    await expect(loadDataSet(data, anything({ textcolumn: 3 }))).rejects.toThrow('unknown option textcolumn');
  });

  it('names the function that has the option', async () => {
    const file = join(root, 'unusual.csv');
    writeFileSync(file, 'words;mark\na b;1\n');
    await expect(loadDataSet(file)).rejects.toThrow('"words","mark"; set textColumn to one of them');
    await expect(fineTune({ model, data: file })).rejects.toThrow('set textColumn of loadDataSet to one of them');
    writeFileSync(file, 'text;label\na b;1\n;2\n');
    await expect(fineTune({ model, data: file })).rejects.toThrow('or add skipEmpty: true in loadDataSet');
  });

  it('asks for the column of labels if it finds none', async () => {
    const file = join(root, 'plain.txt');
    writeFileSync(file, 'a b c\n\nb c a');
    await expect(fineTune({ model, data: file })).rejects.toThrow(
      'expected at least two classes, got 0: give a table with labels, and set labelColumn of loadDataSet to their column',
    );
  });

  it('refuses a model for other classes', async () => {
    const three: LanguageModel = await loadModel(model, { numLabels: 3 });
    await expect(fineTune({ model: three, data })).rejects.toThrow('load it with { numLabels: 2 }');
    await expect(three.classify(['a'])).rejects.toThrow('expected a trained classifier');
  });

  it('stops classifying when asked', async () => {
    const stopped = run.model.classify(['a'], { signal: AbortSignal.abort(new Error('enough')) });
    await expect(stopped).rejects.toThrow('enough');
    expect(await run.model.classify([])).toEqual([]);
    await expect(run.model.classify(['a'], { maxTokens: 0 })).rejects.toThrow('invalid maxTokens');
  });
});

describe('attack', () => {
  it('reads text from a gradient, and less under noise', async () => {
    const texts = ['b a c a b', 'c b a a c'];
    const clear = await attack('span', { model, texts, similarity: false });
    expect(clear.sentences.map(({ guess }) => guess)).toEqual(clear.sentences.map(({ truth }) => truth));
    expect(clear.protection).toBe('no noise');
    const mechanism = { name: 'gaussian', noiseMultiplier: 10 } as const;
    const noisy = await attack('span', { model, texts, mechanism, similarity: false });
    expect(noisy.protection).toBe('normal noise of 10, clipped to 1, joint');
    expect(noisy.summary.lcsRatio?.mean).toBeLessThan(clear.summary.lcsRatio?.mean as number);
  });

  it('draws sentences from data', async () => {
    const found = await attack('span', { model, data, count: 3, split: 'validation', similarity: false });
    expect(found.sentences.length).toBe(3);
  });

  it('infers members from a fine-tuned model', async () => {
    const { model: trained } = await fineTune({ model, data, ...settings, epochs: 2 });
    const groups = new Set<string>();
    const report = await attack('membership', {
      model: trained,
      data,
      others: 'validation',
      onProgress: ({ group }) => groups.add(group),
    });
    expect(report).toMatchObject({ attack: 'membership', members: 40, others: 10 });
    expect(report.auc.value).toBeGreaterThan(0);
    expect([...groups]).toEqual(['members', 'others']);
  });

  it.each([
    ['span', {}, 'expected either texts or data, got neither'],
    ['span', { texts: ['a b'], data: 'bundled:mail' }, 'expected either texts or data, got both'],
    ['span', { texts: ['a b'], count: 3 }, 'count is for data, got texts'],
    ['span', { texts: ['a b'], attacker: 'published' }, 'unknown option attacker of the span attack'],
    ['span', { texts: ['a b'], mechanism: { name: 'gaussian' } }, 'mechanism gaussian needs noiseMultiplier'],
    [
      'span',
      { texts: ['a b'], mechanism: { name: 'directional', noiseMultiplier: 3 } },
      'unknown option noiseMultiplier of directional',
    ],
    ['lamp', { texts: ['a b'] }, 'unknown attack lamp'],
    ['span', { texts: [] }, 'invalid texts: expected at least one, got none'],
    ['membership', { data: undefined }, 'invalid data: expected the name, file or folder'],
    ['membership', { data }, 'expected a trained classifier'],
  ])('%s refuses %j', async (name, options, message) => {
    await expect(attack(name as 'span', anything({ model, ...options }))).rejects.toThrow(message);
  });

  it('wants an array of texts, and quotes none of them', async () => {
    const { model: trained } = await fineTune({ model, data, epochs: 1, batchSize: 20 });
    await expect(trained.classify('secret' as never)).rejects.toThrow(
      new ArgumentError('invalid texts: expected an array of texts, got a value of type string'),
    );
    await expect(trained.classify(['a', undefined] as never)).rejects.toThrow('got undefined in place 1');
    await expect(attack('span', anything({ model, texts: 'secret' }))).rejects.toThrow('expected an array of texts');
  });

  it('needs a model that can be found again for folders and processes', async () => {
    const loaded = await loadModel(model);
    const texts = ['a b', 'b c'];
    await expect(attack('span', { model: loaded, texts, jobs: 2 })).rejects.toThrow('jobs needs the model by its name');
    await expect(attack('span', { model: loaded, texts, folder: root })).rejects.toThrow('folder needs the model');
  });

  it('stops when asked', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(attack('span', { model, texts: ['a b'], signal })).rejects.toThrow('enough');
  });
});

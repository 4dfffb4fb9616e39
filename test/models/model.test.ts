// Loading a model from a folder: every valid form gives the same model, and problems are named.

import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { loadModel, openSafetensors, readParameter } from '../../src/models/index.js';
import { expectNear, readGolden } from './describe-golden.js';
import { goldenLogits, makeRoot, type TinyName, type TinyOptions, writeTiny } from './tiny-models.js';

const root = makeRoot();
const cached = () => join(root, 'cache', 'weights');
let folders = 0;
const write = (name: TinyName, options?: TinyOptions) => writeTiny(join(root, `${++folders}`), name, options);
const load = async (name: TinyName, options?: TinyOptions) => loadModel(await write(name, options));

/** A parameter of the last block, and the classifier's weight. */
const namesIn: Readonly<Record<TinyName, readonly [encoder: string, head: string]>> = {
  bert: ['encoder.layer.1.output.dense.bias', 'classifier.weight'],
  gpt2: ['h.1.mlp.c_proj.bias', 'score.weight'],
  roberta: ['encoder.layer.1.output.dense.bias', 'classifier.out_proj.weight'],
  distilbert: ['transformer.layer.1.ffn.lin2.bias', 'classifier.weight'],
};

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('a tiny %s', (name) => {
  const expected = readGolden(`tiny-${name}`, 'expected.json');

  it.each<TinyOptions>([
    {},
    { prefix: false },
    { files: 3 },
    { files: 2, prefix: false },
    { dtype: 'F16' },
    { dtype: 'F16', files: 3, prefix: false },
    { dtype: 'BF16' },
  ])('gives the logits of the reference when it is written with %o', async (options) => {
    const model = await load(name, options);
    const tolerance = { F32: 1e-5, F16: 5e-3, BF16: 5e-2 }[options.dtype ?? 'F32'];
    expectNear(await goldenLogits(model, name), expected.logits, tolerance);
    expect(model.newlyInitialized).toEqual([]);
    expect(model.config.hidden).toBe(32);
    expect(model.tokenizer.special.padding).toBe(name === 'roberta' ? 1 : 0);
  });

  it('reads the same numbers as its constants hold, also from 16-bit files', async () => {
    const half = await load(name, { dtype: 'F16' });
    const read = new Map<string, Float32Array>();
    for (const [key, parameter] of half.parameters) read.set(key, await parameter.read());
    const wide = await load(name, {
      change: (tensors) => {
        for (const [key, data] of read) tensors[key] = { shape: tensors[key]?.shape ?? [], data };
      },
    });
    expect(await goldenLogits(wide, name)).toEqual(await goldenLogits(half, name));
  });

  const [encoder, head] = namesIn[name];

  it('reads a parameter or its replacement, and names one that does not exist', async () => {
    const model = await load(name);
    const { weight } = model.layout.embeddings.words;
    expect(await readParameter(model, weight)).toEqual(await model.parameters.get(weight)?.read());
    expect(await readParameter(model, weight, { [weight]: Float32Array.of(1, 2) })).toEqual(Float32Array.of(1, 2));
    await expect(readParameter(model, 'other')).rejects.toThrow('the model has no parameter other');
  });

  it('without a tensor of the encoder is refused with its name', async () => {
    const loading = load(name, { without: new RegExp(`^${encoder}$`) });
    await expect(loading).rejects.toThrow(`tensor ${encoder} is missing`);
    await expect(loading).rejects.toBeInstanceOf(FileError);
  });

  it('with a tensor of another shape is refused with its name, in the encoder and in the head', async () => {
    const grow = (key: string) =>
      load(name, {
        change: (tensors) => {
          const { shape = [], data = new Float32Array() } = tensors[key] ?? {};
          const [first = 0, ...rest] = shape;
          const more = new Float32Array((data.length / first) * (first + 1));
          tensors[key] = { shape: [first + 1, ...rest], data: more };
        },
      });
    for (const key of [encoder, head]) {
      const loading = grow(key);
      await expect(loading).rejects.toThrow(new RegExp(`tensor \\S*${key}: expected shape`));
      await expect(loading).rejects.toBeInstanceOf(FileError);
    }
  });

  it.each(['F32', 'F16', 'BF16'] as const)(
    'with a number that is not finite is refused by its name, %s',
    async (dtype) => {
      for (const bytes of [notNumbers[dtype], infinities[dtype]]) {
        const folder = await write(name, { dtype });
        const path = join(folder, 'model.safetensors');
        const file = await openSafetensors(path);
        const [full, entry] = [...file.tensors].find(([key]) => key.endsWith(encoder)) ?? [];
        const content = readFileSync(path);
        content.set(bytes, (entry?.offset ?? 0) + 3 * bytes.length);
        writeFileSync(path, content);
        const loading = loadModel(folder);
        await expect(loading).rejects.toThrow(new RegExp(`tensor ${full} holds (NaN|-?Infinity) at element 3`));
        await expect(loading).rejects.toBeInstanceOf(FileError);
      }
    },
  );

  it('changes its digest with any weight, and only then', async () => {
    const one = await load(name);
    expect((await load(name)).digest).toBe(one.digest);
    const other = await load(name, {
      change: (tensors) => {
        const data = tensors[encoder]?.data as Float32Array;
        data[5] = (data[5] as number) + 1e-6;
      },
    });
    expect(other.digest).not.toBe(one.digest);
    const sharded = await load(name, { files: 2 });
    const changed = await load(name, {
      files: 2,
      change: (tensors) => {
        const data = tensors[encoder]?.data as Float32Array;
        data[5] = (data[5] as number) + 1e-6;
      },
    });
    expect(changed.digest).not.toBe(sharded.digest);
  });
});

const notNumbers = { F32: [0, 0, 0xc0, 0x7f], F16: [0x01, 0x7e], BF16: [0xc0, 0xff] };
const infinities = { F32: [0, 0, 0x80, 0xff], F16: [0, 0x7c], BF16: [0x80, 0x7f] };

describe('a model without a classifier', () => {
  const bert = { without: /^(classifier|pooler)\./ };

  it('gets a newly initialized one, and says so', async () => {
    const { newlyInitialized, parameters } = await load('bert', bert);
    expect(new Set(newlyInitialized)).toEqual(
      new Set(['pooler.dense.weight', 'pooler.dense.bias', 'classifier.weight', 'classifier.bias']),
    );
    expect((await load('bert', { without: /^classifier\./ })).newlyInitialized).toEqual([
      'classifier.weight',
      'classifier.bias',
    ]);
    expect((await load('gpt2', { without: /^score\./ })).newlyInitialized).toEqual(['score.weight']);
    const weight = (await parameters.get('pooler.dense.weight')?.read()) as Float32Array;
    const deviation = Math.hypot(...weight) / 32;
    expect(deviation).toBeGreaterThan(0.018);
    expect(deviation).toBeLessThan(0.022);
    expect(await parameters.get('classifier.bias')?.read()).toEqual(new Float32Array(2));
    expect(await parameters.get('classifier.weight')?.read()).not.toEqual(weight.slice(0, 64));
  });

  it('gets the same one from the same seed and another from another, and so does the digest', async () => {
    const folder = await write('bert', bert);
    const draw = async (seed?: number | string) => {
      const { parameters, digest } = await loadModel(folder, seed === undefined ? {} : { seed });
      const numbers = await parameters.get('classifier.weight')?.read();
      return { digest, numbers: [...(numbers ?? [])].join() };
    };
    const draws = [await draw(), await draw(1), await draw('0'), await draw('1'), await draw('a b')];
    expect(await draw()).toEqual(draws[0]);
    expect(await draw(0)).toEqual(draws[0]);
    expect(new Set(draws.map(({ numbers }) => numbers)).size).toBe(draws.length);
    expect(new Set(draws.map(({ digest }) => digest)).size).toBe(draws.length);
  });

  it('computes with the numbers that it initialized', async () => {
    const model = await load('bert', bert);
    const numbers = new Map<string, Float32Array>();
    for (const name of model.newlyInitialized)
      numbers.set(name, (await model.parameters.get(name)?.read()) as Float32Array);
    const written = await load('bert', {
      change: (tensors) => {
        for (const [name, data] of numbers) tensors[name] = { shape: tensors[name]?.shape ?? [], data };
      },
    });
    expect(await goldenLogits(model, 'bert')).toEqual(await goldenLogits(written, 'bert'));
  });
});

describe('the number of classes', () => {
  it('can be chosen if there is no classifier yet', async () => {
    const folder = await write('gpt2', { without: /^score\./ });
    const model = await loadModel(folder, { numLabels: 5 });
    expect(model.config.numLabels).toBe(5);
    expect(model.parameters.get('score.weight')?.shape).toEqual([5, 32]);
    expect((await goldenLogits(model, 'gpt2')).length).toBe(15);
  });

  it('must be that of the classifier, unless a new head is requested', async () => {
    const folder = await write('bert');
    expect((await loadModel(folder, { numLabels: 2 })).newlyInitialized).toEqual([]);
    const loading = loadModel(folder, { numLabels: 3 });
    await expect(loading).rejects.toThrow(
      'its classifier has shape [2,32], the data needs [3,32]: add newHead: true to initialize a new one',
    );
    await expect(loading).rejects.toBeInstanceOf(ArgumentError);
    const model = await loadModel(folder, { numLabels: 3, newHead: true });
    expect(model.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
    expect((await goldenLogits(model, 'bert')).length).toBe(9);
    const same = await loadModel(folder, { newHead: true });
    expect(same.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
    expect(same.digest).not.toBe((await loadModel(folder)).digest);
    expect(await goldenLogits(same, 'bert')).not.toEqual(await goldenLogits(await loadModel(folder), 'bert'));
  });

  it('is taken from the class names if there are any', async () => {
    const id2label = { 0: 'bad', 1: 'so-so', 2: 'good' };
    const config = { id2label, num_labels: undefined };
    const model = await load('bert', { config, without: /^classifier\./ });
    expect(model.config.numLabels).toBe(3);
  });
});

describe('a model that cannot be loaded', () => {
  it.each<[string, () => Promise<unknown>, string, typeof FileError | typeof ArgumentError]>([
    [
      'an unknown kind',
      () => load('bert', { config: { model_type: 'llama' } }),
      'config.json: model_type: expected bert, roberta, xlm-roberta, camembert, distilbert or gpt2, got "llama"',
      FileError,
    ],
    [
      'no kind',
      () => load('bert', { config: { model_type: undefined } }),
      'expected bert, roberta, xlm-roberta, camembert, distilbert or gpt2, got undefined',
      FileError,
    ],
    ['a name of every object', () => load('bert', { config: { model_type: 'toString' } }), 'got "toString"', FileError],
    ['a folder that is not there', () => loadModel(join(root, 'absent')), 'no such folder', FileError],
    [
      'more tokens than embeddings',
      () => load('bert', { pieces: 121 }),
      "tokenizer.json: expected at most the model's 120 tokens, got 121",
      FileError,
    ],
    [
      'weights of another type',
      async () => {
        const folder = await write('bert');
        forgeType(join(folder, 'model.safetensors'), 'bert.pooler.dense.bias', 'I32');
        return loadModel(folder);
      },
      'tensor bert.pooler.dense.bias: expected F32, F16 or BF16, got I32',
      FileError,
    ],
  ])('is named: %s', async (_, loading, message, kind) => {
    const failed = loading();
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(kind);
  });

  it('is reported with the bundled models', async () => {
    const loading = loadModel('bundled:nothing');
    await expect(loading).rejects.toThrow(/unknown model bundled:nothing: expected .*bundled:bert-mini/);
    await expect(loading).rejects.toBeInstanceOf(ArgumentError);
    await expect(loadModel('bundled:../src')).rejects.toThrow('unknown model');
  });

  it('ignores tensors that the model does not use', async () => {
    const folder = await write('bert', {
      change: (tensors) => {
        tensors['embeddings.position_ids'] = { shape: [4], data: new Float32Array(4) };
      },
    });
    forgeType(join(folder, 'model.safetensors'), 'bert.embeddings.position_ids', 'I32');
    await expect(loadModel(folder)).resolves.toMatchObject({ newlyInitialized: [] });
  });

  it('names the missing head when it is needed', async () => {
    const model = await load('bert');
    expect(() => model.parametersOf('lm')).toThrow(/tensor cls\.predictions\.\S+ is missing/);
    expect(() => model.build({ batch: 1, tokens: 2 }).lmLogits()).toThrow(/tensor cls\.predictions\.\S+ is missing/);
    expect(() => model.build({ batch: 1, tokens: 2, trainable: ['pooler.wrong'] })).toThrow(
      'unknown parameter pooler.wrong',
    );
  });
});

describe('the first BERTs', () => {
  it('are loaded although their norms have gamma and beta', async () => {
    const model = await load('bert', {
      change: (tensors) => {
        for (const [key, tensor] of Object.entries(tensors)) {
          const older = key.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta');
          delete tensors[key];
          tensors[older] = tensor;
        }
      },
    });
    expect(model.parametersOf('classification')).toContain('embeddings.LayerNorm.weight');
    expectNear(await goldenLogits(model, 'bert'), readGolden('tiny-bert', 'expected.json').logits, 1e-5);
  });
});

describe('a masked language model of transformers', () => {
  it('is loaded with its head, and a pooler and classifier are newly initialized', async () => {
    const model = await load('bert', { golden: 'tiny-bert-mlm', prefix: true });
    expect(new Set(model.newlyInitialized)).toEqual(
      new Set(['pooler.dense.weight', 'pooler.dense.bias', 'classifier.weight', 'classifier.bias']),
    );
    expect(model.parametersOf('lm')).toContain('cls.predictions.bias');
    expect(model.parametersOf('lm').filter((name) => name === 'embeddings.word_embeddings.weight').length).toBe(1);
    expect(model.parametersOf('classification').some((name) => name.startsWith('cls.'))).toBe(false);
  });
});

/** Writes another type of the same size into the header. */
function forgeType(path: string, tensor: string, dtype: string): void {
  const content = readFileSync(path);
  const length = Number(content.readBigUInt64LE());
  const header = JSON.parse(content.subarray(8, 8 + length).toString());
  header[tensor].dtype = dtype;
  content.write(JSON.stringify(header).padEnd(length), 8);
  writeFileSync(path, content);
}

describe('weights that are not F32', () => {
  it('are widened once, into one file that all loads share', async () => {
    const before = new Set(listed());
    const folder = await write('bert', { dtype: 'F16', change: nudge(1) });
    const [first, second] = await Promise.all([loadModel(folder), loadModel(folder)]);
    const made = listed().filter((name) => !before.has(name));
    expect(made.length).toBe(1);
    const path = join(cached(), made[0] as string);
    const { mtimeMs, ino } = statSync(path);
    const third = await loadModel(folder);
    expect(statSync(path)).toMatchObject({ mtimeMs, ino });
    expect(await goldenLogits(first, 'bert')).toEqual(await goldenLogits(third, 'bert'));
    expect(await goldenLogits(second, 'bert')).toEqual(await goldenLogits(third, 'bert'));
    expect(third.parameters.get('pooler.dense.bias')?.constant().source).toMatchObject({ kind: 'file' });
  });

  it('are widened again if the cached file is truncated, empty or another one', async () => {
    const folder = await write('bert', { dtype: 'BF16', change: nudge(2) });
    const before = new Set(listed());
    const logits = await goldenLogits(await loadModel(folder), 'bert');
    const path = join(cached(), listed().find((name) => !before.has(name)) as string);
    const whole = readFileSync(path);
    const foreign = await write('bert');
    for (const damage of [
      () => truncateSync(path, whole.length - 5),
      () => truncateSync(path, 0),
      () => writeFileSync(path, 'something else'),
      () => writeFileSync(path, readFileSync(join(foreign, 'model.safetensors'))),
    ]) {
      damage();
      expect(await goldenLogits(await loadModel(folder), 'bert')).toEqual(logits);
      expect(readFileSync(path).equals(whole)).toBe(true);
    }
  });

  it('are not copied if they are F32', async () => {
    const before = listed();
    const folder = await write('gpt2', { files: 2 });
    const model = await loadModel(folder);
    expect(listed()).toEqual(before);
    const source = model.parameters.get('ln_f.weight')?.constant().source;
    expect(source?.kind === 'file' && source.path.startsWith(folder)).toBe(true);
  });

  const listed = (): string[] => {
    mkdirSync(cached(), { recursive: true });
    return readdirSync(cached());
  };
  /** A model of its own for a test, so that its cache file is too. */
  const nudge =
    (amount: number): NonNullable<TinyOptions['change']> =>
    (tensors) => {
      const data = tensors['pooler.dense.bias']?.data as Float32Array;
      data[0] = amount;
    };
});

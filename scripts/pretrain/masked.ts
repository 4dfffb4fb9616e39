// The pretraining tasks of bert-mini: predicting masked tokens, and distillation, in which the pooled vector learns to match the
// teacher's sentence vector through a linear map (1 − cosine, plus a contrastive loss against the others in the batch).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  add,
  argMax,
  cast,
  compile,
  constant,
  crossEntropy,
  div,
  equal,
  input,
  matMul,
  mul,
  type Program,
  reduceL2,
  reduceMean,
  reduceSum,
  sub,
  type Value,
} from '../../src/engine/index.js';
import { buildBert, makeLayers, openCheckpoint, parseBertConfig, readStored } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import type { Prepared } from './prepare.js';
import { clippedGradients, makeStore, type Task } from './task.js';
import { openTeacher } from './teacher.js';
import { bigints, drawWindows, maskWindows } from './windows.js';

const [windows, windowTokens, hiddenShare] = [16, 128, 0.15];
const [sentencesAtOnce, sentenceTokens, chunkSize] = [64, 40, 4096];
/** Sentences of similar length share a batch, padded to the smallest of these sizes: otherwise half of all positions were padding. */
const sentenceSizes = [16, 24, sentenceTokens];
/** How many chunks of sentences the teacher reads before they repeat. */
const chunks = 16;
const temperature = 0.05;

interface Row {
  readonly ids: number[];
  readonly vector: Float32Array;
}

export async function maskedTask(
  { tokenizer, train, heldOut, sentences, heldOutSentences }: Prepared,
  places: { readonly teacher: string; readonly cache: string; readonly models: string },
): Promise<Task> {
  const config = {
    architectures: ['BertForMaskedLM'],
    model_type: 'bert',
    hidden_act: 'gelu',
    vocab_size: tokenizer.size,
    hidden_size: 256,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    intermediate_size: 1024,
    max_position_embeddings: 256,
    type_vocab_size: 2,
    layer_norm_eps: 1e-12,
    pad_token_id: tokenizer.special.padding,
    tie_word_embeddings: true,
  };
  const sizes = parseBertConfig(config);
  const teacher = await openTeacher(places.teacher, places.cache);
  const store = makeStore('bert-mini');
  const parameters = makeLayers(store.parameterOf);
  const hiddenCount = Math.round(hiddenShare * windowTokens);

  const masked = (batch: number) => {
    const ids = input('ids', [batch, windowTokens], 'i64');
    const all = constant(new Float32Array(batch * windowTokens).fill(1), [batch, windowTokens]);
    const logits = buildBert(sizes, makeLayers(store.parameterOf), { ids }, all).lmLogits(
      input('places', [batch * hiddenCount], 'i64'),
    );
    const targets = input('targets', [batch * hiddenCount], 'i64');
    return {
      loss: reduceMean(crossEntropy(logits, targets)),
      accuracy: reduceMean(cast(equal(argMax(logits), targets), 'f32')),
    };
  };
  const distilled = (tokens: number) => {
    const ids = input('sentences', [sentencesAtOnce, tokens], 'i64');
    const mask = input('mask', [sentencesAtOnce, tokens]);
    const graph = buildBert(sizes, makeLayers(store.parameterOf), { ids }, mask);
    const mapped = parameters.linear('distillation', graph.pooled(), { outputs: teacher.size, bias: false });
    const student = div(mapped, reduceL2(mapped, [1], true));
    const vectors = input('vectors', [sentencesAtOnce, teacher.size]);
    const cosine = reduceMean(reduceSum(mul(student, vectors), [1]));
    const own = constant(
      BigInt64Array.from({ length: sentencesAtOnce }, (_, i) => BigInt(i)),
      [sentencesAtOnce],
    );
    const scores = matMul(student, vectors, { transposeB: true, scale: 1 / temperature });
    return { cosine, contrast: reduceMean(crossEntropy(scores, own)) };
  };
  const programs = new Map<number, Program<string>>();
  for (const tokens of sentenceSizes) {
    const [words, meaning] = [masked(windows), distilled(tokens)];
    const distillation = add(sub(1, meaning.cosine), meaning.contrast);
    const loss = add(words.loss, distillation) as Value;
    programs.set(tokens, await compile<string>({ loss, ...clippedGradients(loss, store.values) }));
  }
  const evaluation = await compile({ ...masked(windows), ...distilled(sentenceTokens) });
  await startFromGpt2(
    join(places.models, 'gpt2-mini'),
    store.arrays['embeddings.word_embeddings.weight'] as Float32Array,
  );

  const gradientArrays = Object.fromEntries(
    Object.entries(store.arrays).map(([name, { length }]) => [name, new Float32Array(length)]),
  );
  const special = { mask: tokenizer.special.mask as number, firstWord: 5, size: tokenizer.size };
  const idsOf = (text: string) => tokenizer.encode(text, { maxTokens: sentenceTokens });
  const pad = (rows: readonly number[][], size: number) => {
    const padded = (fill: (row: number[], i: number) => number) =>
      rows.flatMap((row) => Array.from({ length: size }, (_, i) => fill(row, i)));
    return {
      sentences: bigints(padded((row, i) => row[i] ?? tokenizer.special.padding)),
      mask: Float32Array.from(padded((row, i) => Number(i < row.length))),
    };
  };
  let chunk: { index: number; rows: Row[] } | undefined;
  const lesson = async (step: number) => {
    const batches = chunkSize / sentencesAtOnce;
    const index = Math.floor(step / batches) % chunks;
    if (chunk?.index !== index) {
      const texts = sentences.slice(index * chunkSize, (index + 1) * chunkSize);
      const vectors = await teacher.chunk(`${index}`, texts);
      const rows = texts.map((text, i) => ({
        ids: idsOf(text),
        vector: vectors.subarray(i * teacher.size, (i + 1) * teacher.size),
      }));
      chunk = { index, rows: rows.sort((a, b) => a.ids.length - b.ids.length) };
    }
    const batch = (step * 37) % batches; // 37 is odd: every batch once, short and long ones mixed
    const rows = chunk.rows.slice(batch * sentencesAtOnce, (batch + 1) * sentencesAtOnce);
    const longest = rows.at(-1)?.ids.length ?? sentenceTokens;
    const size = sentenceSizes.find((tokens) => tokens >= longest) ?? sentenceTokens;
    const vectors = new Float32Array(sentencesAtOnce * teacher.size);
    for (const [i, { vector }] of rows.entries()) vectors.set(vector, i * teacher.size);
    const padded = pad(
      rows.map(({ ids }) => ids),
      size,
    );
    return { size, feeds: { ...padded, vectors } };
  };
  const sample = sentences.slice(0, 2000);
  const meanTokens = sample.reduce((sum, text) => sum + idsOf(text).length, 0) / sample.length;

  return {
    parameters: store.arrays,
    shapes: store.shapes,
    tokensPerStep: Math.round(windows * windowTokens + sentencesAtOnce * meanTokens),
    config,
    scaffolding: ['distillation.weight'],
    compute: async (step) => {
      const random = seededSource('bert-mini').stream(`step ${step}`);
      const rows = drawWindows(train, windows, windowTokens, random);
      const { ids, places: where, targets } = maskWindows(rows, hiddenCount, special, random);
      const { size, feeds } = await lesson(step);
      const program = programs.get(size) as Program<string>;
      const result = await program.run({ ...store.arrays, ids, places: where, targets, ...feeds }, gradientArrays);
      return { loss: Number(result.loss?.[0]), gradients: gradientArrays };
    },
    measure: async () => {
      const random = seededSource('bert-mini').stream('held out');
      const vectors = await teacher.chunk('held-out', heldOutSentences);
      const sums = { loss: 0, accuracy: 0, cosine: 0, contrast: 0 };
      const rounds = heldOutSentences.length / sentencesAtOnce;
      for (let i = 0; i < rounds; i++) {
        const rows = drawWindows(heldOut, windows, windowTokens, random);
        const { ids, places: where, targets } = maskWindows(rows, hiddenCount, special, random);
        const begin = i * sentencesAtOnce;
        const result = await evaluation.run({
          ...store.arrays,
          ids,
          places: where,
          targets,
          ...pad(heldOutSentences.slice(begin, begin + sentencesAtOnce).map(idsOf), sentenceTokens),
          vectors: vectors.slice(begin * teacher.size, (begin + sentencesAtOnce) * teacher.size),
        });
        for (const key of ['loss', 'accuracy', 'cosine', 'contrast'] as const) {
          sums[key] += Number(result[key][0]) / rounds;
        }
      }
      return { maskedLoss: sums.loss, maskedAccuracy: sums.accuracy, cosine: sums.cosine, contrast: sums.contrast };
    },
  };
}

/** Both models share the tokenizer, so bert-mini may begin with the word vectors that gpt2-mini has learned. */
async function startFromGpt2(folder: string, words: Float32Array): Promise<void> {
  if (!existsSync(join(folder, 'model.safetensors'))) return;
  const { tensors } = await openCheckpoint(folder);
  const learned = tensors.get('wte.weight');
  if (learned !== undefined) words.set(await readStored(learned, learned.shape));
}

// Runs a trained classifier, of texts or of tokens, on token ids in batches of similar length. Programs are compiled once per shape of
// batch, and calls run one after the other.

import { ArgumentError, expectTexts, positiveInteger } from '../checks/index.js';
import { bucketOf, fillBatch, lengthBuckets } from '../data/index.js';
import { compile, type Program } from '../engine/index.js';
import type { HeadName } from './heads.js';
import { isAdapterParameter } from './lora/adapter.js';
import { type Model, taskLogits } from './model.js';

/** How texts are classified. */
export interface ClassifyOptions {
  /** Texts are cut to this many tokens, and to the model's positions if there are fewer. Default: 128, as in training. */
  readonly maxTokens?: number;
  /** Called after every micro-batch. */
  readonly onProgress?: (progress: { readonly done: number; readonly all: number }) => void;
  /** Stops after the micro-batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The most probable class, and the probability of every class. */
export interface ClassScores {
  /** The class with the highest probability. */
  readonly label: string;
  /** Its probability. */
  readonly probability: number;
  /** The probability of every class, by name, in the order of the labels; they sum to 1. */
  readonly probabilities: Readonly<Record<string, number>>;
}

/** A compiled classifier. */
export interface Predictor {
  /** Gives the logits of every row of ids to `each`: one set of logits per row, or one per token of it. They change with the next batch. */
  readonly run: (
    inputIds: readonly (readonly number[])[],
    longest: number,
    each: (logits: Float32Array, row: number) => void,
    options: Pick<ClassifyOptions, 'onProgress' | 'signal'>,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Class names of a model: those of its `id2label`, or LABEL_0, LABEL_1, … as Hugging Face calls them. */
export function classNames({ rawConfig, config }: Pick<Model, 'rawConfig' | 'config'>): string[] {
  const names = (rawConfig.id2label ?? {}) as Readonly<Record<string, unknown>>;
  return Array.from({ length: config.numLabels }, (_, label) => {
    const name = names[label];
    return typeof name === 'string' ? name : `LABEL_${label}`;
  });
}

/** Opens the classifier of a model; one that started at random is refused. */
export function openPredictor(model: Model, head: HeadName): Predictor {
  expectTrained(model, head);
  const programs = new Map<string, Promise<Program>>();
  const inMemory = Object.fromEntries(
    [...model.parameters].flatMap(([name, { numbers }]) => (numbers === undefined ? [] : [[name, numbers] as const])),
  );
  // Numbers in memory are inputs: as constants they would be copied into every program.
  const names = model.parametersOf(head).filter((name) => Object.hasOwn(inMemory, name));
  const programFor = (batch: number, tokens: number): Promise<Program> => {
    const key = `${batch} x ${tokens}`;
    const built = () => model.build({ batch, tokens, trainable: names });
    const program = programs.get(key) ?? compile<string>({ logits: taskLogits(built(), head) });
    programs.set(key, program);
    return program;
  };
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: a program uses its memory again in the next run. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const run: Predictor['run'] = async (inputIds, longest, each, { onProgress, signal }) => {
    const { numLabels } = model.config;
    let done = 0;
    for (const { batch, tokens, indices } of batchesOf(inputIds, longest)) {
      signal?.throwIfAborted();
      const program = await programFor(batch, tokens);
      const { ids, mask } = fillBatch(inputIds, indices, { batch, tokens }, model.tokenizer.special.padding);
      const feeds = Object.entries({ ids, mask, ...inMemory }).filter(([name]) => name in program.inputs);
      const { logits } = (await program.run(Object.fromEntries(feeds))) as { logits: Float32Array };
      const width = logits.length / batch;
      for (const [row, index] of indices.entries()) {
        const own = head === 'tokens' ? (inputIds[index]?.length ?? 0) * numLabels : width;
        each(logits.subarray(row * width, row * width + own), index);
      }
      done += indices.length;
      onProgress?.({ done, all: inputIds.length });
    }
  };
  return {
    run: (...given) => inTurn(() => run(...given)),
    close: () =>
      inTurn(async () => {
        for (const program of programs.values()) await (await program).close();
        programs.clear();
      }),
  };
}

interface TextReading<Encoded, Result> {
  readonly encode: (text: string, index: number, most: number) => Encoded;
  readonly resultOf: (logits: Float32Array, encoded: Encoded) => Result;
}

/** One result per text, in their order. Texts are cut to `maxTokens`, and to the model's positions if there are fewer. */
export async function predictTexts<Encoded extends { readonly ids: readonly number[] }, Result>(
  predictor: Predictor,
  { config }: Pick<Model, 'config'>,
  texts: readonly string[],
  { maxTokens = 128, ...options }: ClassifyOptions,
  { encode, resultOf }: TextReading<Encoded, Result>,
): Promise<Result[]> {
  expectTexts({ texts });
  positiveInteger({ maxTokens });
  const most = Math.min(maxTokens, config.positions);
  const encoded = texts.map((text, index) => encode(text, index, most));
  const results: Result[] = [];
  const keep = (logits: Float32Array, row: number) => {
    results[row] = resultOf(logits, encoded[row] as Encoded);
  };
  await predictor.run(
    encoded.map(({ ids }) => ids),
    most,
    keep,
    options,
  );
  return results;
}

function expectTrained({ name, newlyInitialized, parametersOf }: Model, head: HeadName): void {
  // A new adapter changes nothing.
  const needed = parametersOf(head).filter((one) => newlyInitialized.includes(one) && !isAdapterParameter(one));
  if (needed.length === 0) return;
  throw new ArgumentError(
    `${name}: expected a trained classifier, got a model without ${needed.join(', ')}: fine-tune it first`,
  );
}

const tokensAtOnce = 1024;

interface ShapedBatch {
  readonly batch: number;
  readonly tokens: number;
  readonly indices: readonly number[];
}

/** Texts of similar length together; what is left over goes into the next power of two of rows, so that one text costs one row. */
function* batchesOf(inputIds: readonly (readonly number[])[], longest: number): Generator<ShapedBatch> {
  const buckets = lengthBuckets(longest);
  const groups = new Map<number, number[]>(buckets.map((tokens) => [tokens, []]));
  for (const [index, { length }] of inputIds.entries()) groups.get(bucketOf(length, buckets))?.push(index);
  for (const [tokens, members] of groups) {
    const most = Math.max(1, Math.floor(tokensAtOnce / tokens));
    for (let start = 0; start < members.length; start += most) {
      const indices = members.slice(start, start + most);
      yield { batch: Math.min(most, 2 ** Math.ceil(Math.log2(indices.length))), tokens, indices };
    }
  }
}

/** Softmax in float64; with two equal logits the first label wins. */
export function scoreClasses(logits: Float32Array, classes: readonly string[]): ClassScores {
  const highest = logits.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
  const weights = Array.from(logits, (logit) => Math.exp(logit - highest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const probabilities = weights.map((weight) => weight / sum);
  const best = logits.indexOf(highest);
  if (best === -1) throw new Error('the logits are not finite: the weights of the model are damaged');
  return {
    label: classes[best] as string,
    probability: probabilities[best] as number,
    probabilities: Object.fromEntries(classes.map((name, label) => [name, probabilities[label] as number])),
  };
}

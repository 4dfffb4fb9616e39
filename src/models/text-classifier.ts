// Classifying texts with a trained model: label and probabilities per text. Programs are compiled once per shape of batch.

import { ArgumentError, expectTexts, positiveInteger } from '../checks/index.js';
import { bucketOf, fillBatch, lengthBuckets } from '../data/index.js';
import { compile, type Program } from '../engine/index.js';
import { isAdapterParameter } from './lora/adapter.js';
import type { Model } from './model.js';

/** The class that a model predicts for one text. */
export interface Prediction {
  /** The class with the highest probability. */
  readonly label: string;
  /** Its probability. */
  readonly probability: number;
  /** The probability of every class, by name, in the order of the labels; they sum to 1. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** Whether the text was longer than the model was allowed to read, so that its end did not count. */
  readonly truncated: boolean;
}

/** How texts are classified. */
export interface ClassifyOptions {
  /** Texts are cut to this many tokens, and to the model's positions if there are fewer. Default: 128, as in training. */
  readonly maxTokens?: number;
  /** Called after every micro-batch. */
  readonly onProgress?: (progress: { readonly done: number; readonly all: number }) => void;
  /** Stops after the micro-batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A trained model that classifies texts; compiled programs are cached between calls. */
export interface TextClassifier {
  readonly classes: readonly string[];
  /** In the order of the texts. Calls run one after the other. */
  readonly classify: (texts: readonly string[], options?: ClassifyOptions) => Promise<Prediction[]>;
  /** Frees the compiled programs; the next call compiles them again. */
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

/** Classifies texts with a model that has a trained classifier; a classifier that started at random is refused. */
export function openTextClassifier(model: Model, classes: readonly string[] = classNames(model)): TextClassifier {
  expectTrained(model);
  const programs = new Map<string, Promise<Program>>();
  const inMemory = Object.fromEntries(
    [...model.parameters].flatMap(([name, { numbers }]) => (numbers === undefined ? [] : [[name, numbers] as const])),
  );
  // Numbers in memory are inputs: as constants they would be copied into every program.
  const names = model.parametersOf('classification').filter((name) => Object.hasOwn(inMemory, name));
  const programFor = (batch: number, tokens: number): Promise<Program> => {
    const key = `${batch} x ${tokens}`;
    const program =
      programs.get(key) ?? compile<string>({ logits: model.build({ batch, tokens, trainable: names }).classify() });
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
  const classify = async (texts: readonly string[], options: ClassifyOptions): Promise<Prediction[]> => {
    expectTexts({ texts });
    const { maxTokens = 128 } = options;
    positiveInteger({ maxTokens });
    const most = Math.min(maxTokens, model.config.positions);
    const encoded = texts.map((text, index) => encode(model, text, index, most));
    const inputIds = encoded.map(({ ids }) => ids);
    const predictions: Prediction[] = [];
    let done = 0;
    for (const { batch, tokens, indices } of batchesOf(inputIds, most)) {
      options.signal?.throwIfAborted();
      const program = await programFor(batch, tokens);
      const { ids, mask } = fillBatch(inputIds, indices, { batch, tokens }, model.tokenizer.special.padding);
      const feeds = Object.entries({ ids, mask, ...inMemory }).filter(([name]) => name in program.inputs);
      const { logits } = (await program.run(Object.fromEntries(feeds))) as { logits: Float32Array };
      for (const [row, index] of indices.entries()) {
        const own = logits.subarray(row * classes.length, (row + 1) * classes.length);
        predictions[index] = { ...predictionOf(own, classes), truncated: encoded[index]?.truncated ?? false };
      }
      done += indices.length;
      options.onProgress?.({ done, all: texts.length });
    }
    return predictions;
  };
  return {
    classes,
    classify: (texts, options = {}) => inTurn(() => classify(texts, options)),
    close: () =>
      inTurn(async () => {
        for (const program of programs.values()) await (await program).close();
        programs.clear();
      }),
  };
}

function expectTrained({ name, newlyInitialized, parametersOf }: Model): void {
  // A new adapter changes nothing.
  const random = newlyInitialized.filter((one) => !isAdapterParameter(one));
  const needed = parametersOf('classification').filter((one) => random.includes(one));
  if (needed.length === 0) return;
  throw new ArgumentError(
    `${name}: expected a trained classifier, got a model without ${needed.join(', ')}: fine-tune it first`,
  );
}

interface EncodedText {
  readonly ids: readonly number[];
  readonly truncated: boolean;
}

function encode({ tokenizer }: Model, text: string, index: number, most: number): EncodedText {
  const ids = tokenizer.encode(text, { maxTokens: most + 1 });
  if (ids.length === 0) throw new ArgumentError(`text ${index + 1}: expected at least one token, got none`);
  if (ids.length <= most) return { ids, truncated: false };
  return { ids: tokenizer.encode(text, { maxTokens: most }), truncated: true };
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
function predictionOf(logits: Float32Array, classes: readonly string[]): Omit<Prediction, 'truncated'> {
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

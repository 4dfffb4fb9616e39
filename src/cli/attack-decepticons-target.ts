// Whom `epsilens attack decepticons` attacks: a model with its tokenizer, the sentences of its client in batches, and its loss.

import { type ClientLoss, type ClientLossName, clientLosses } from '../attacks/index.js';
import { ArgumentError } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import { initializeReluTransformer, loadModel, type Model, type ModelCore } from '../models/index.js';
import { permutation, type SeededSource, seededSource } from '../random/index.js';
import { loadClassifier, loadTexts, type SentenceFlags } from './attack-sentences.js';
import { oneOf } from './own-flags.js';

export interface TargetFlags extends SentenceFlags {
  readonly batchSize?: number;
  readonly loss?: string;
}

/** Token ids of sentences. */
export type Rows = readonly (readonly number[])[];

export interface DecepticonsCase {
  readonly model: ModelCore;
  readonly tokenizer: Tokenizer;
  /** Of the names of parameters in checkpoints. */
  readonly stored: (name: string) => string;
  /** All parameters that the loss trains: a client shares their gradients. */
  readonly shared: readonly string[];
  readonly batches: readonly Rows[];
  readonly loss: ClientLossName;
  readonly lossOf: (rows: Rows, batch: number) => ClientLoss;
}

export async function openCase(flags: TargetFlags): Promise<DecepticonsCase> {
  const texts = await loadTexts(flags);
  const opened =
    flags.model === 'relu' ? await openRelu(flags) : openModel(await loadClassifier(flags, texts), flags.loss);
  const { model, tokenizer, loss } = opened;
  const rows = texts.texts.map((text, i) => encode(tokenizer, text, i, flags, model.config.positions));
  const size = batchSize(rows.length, flags.batchSize);
  const random = seededSource(flags.seed);
  return {
    ...opened,
    batches: Array.from({ length: rows.length / size }, (_, i) => rows.slice(i * size, (i + 1) * size)),
    lossOf: (own, batch) => {
      switch (loss) {
        case 'class':
          return { loss, labels: texts.labels.slice(batch * size, (batch + 1) * size) };
        case 'masked':
          return { loss, ...hideTokens(tokenizer, own, random.stream(`hidden ${batch}`)) };
        default:
          return { loss };
      }
    },
  };
}

type Opened = Pick<DecepticonsCase, 'model' | 'tokenizer' | 'stored' | 'shared' | 'loss'>;

/** The small model of the paper, drawn, with the words of bert-mini. */
async function openRelu({ seed, maxTokens, loss }: TargetFlags): Promise<Opened> {
  const { tokenizer } = await loadModel('bundled:bert-mini');
  const sizes = { vocabulary: tokenizer.size, positions: Math.max(32, maxTokens) };
  const model = initializeReluTransformer(seededSource(seed).stream('model'), sizes);
  return {
    model,
    tokenizer,
    stored: (name) => name,
    shared: [...model.parameters.keys()],
    loss: chooseLoss(loss, ['next']),
  };
}

function openModel(model: Model, wanted: string | undefined): Opened {
  const losses = clientLosses(model);
  if (wanted !== undefined && wanted !== 'class' && losses.length === 1)
    throw new ArgumentError(
      `--loss ${wanted}: expected a model that predicts tokens, got one without: use --loss class`,
    );
  const loss = chooseLoss(wanted, losses);
  const { prefix, unprefixed } = model.architecture;
  return {
    model,
    tokenizer: model.tokenizer,
    stored: (name) => (unprefixed.test(name) ? name : `${prefix}${name}`),
    shared: model.parametersOf(loss === 'class' ? 'classification' : 'lm'),
    loss,
  };
}

/** The first is taken where none is asked for. */
const chooseLoss = (wanted: string | undefined, losses: readonly ClientLossName[]): ClientLossName =>
  oneOf('loss', wanted, losses) ?? (losses[0] as ClientLossName);

function encode(tokenizer: Tokenizer, text: string, index: number, flags: TargetFlags, positions: number): number[] {
  const row = tokenizer.encode(text, { maxTokens: flags.maxTokens });
  if (row.length > positions) {
    throw new ArgumentError(
      `sentence ${index + 1}: expected at most the model's ${positions} positions, got ${row.length} tokens: use --max-tokens ${positions}`,
    );
  }
  const least = Math.max(2, tokenizer.added + 1);
  if (row.length >= least) return row;
  throw new ArgumentError(
    `sentence ${index + 1}: expected at least ${least} tokens, special ones included, got ${row.length}: leave it out`,
  );
}

/** Batches of one size, so that all are equally hard. */
export function batchSize(sentences: number, wanted: number | undefined): number {
  const size = wanted ?? Math.min(8, sentences);
  if (size > sentences) {
    throw new ArgumentError(
      `--batch-size: expected at most the ${sentences} sentences, got ${size}: give more sentences or a smaller batch`,
    );
  }
  if (sentences % size === 0) return size;
  const whole = sentences - (sentences % size);
  throw new ArgumentError(
    `expected whole batches of ${size}, got ${sentences} sentences: give ${whole} or ${whole + size}, or another --batch-size`,
  );
}

/** 15 % of the tokens of each sentence, at least one, special ones left out. */
function hideTokens(tokenizer: Tokenizer, rows: Rows, random: SeededSource) {
  const { mask, ...special } = tokenizer.special;
  if (mask === undefined)
    throw new ArgumentError('--loss masked: expected a tokenizer with a mask token, got none: use --loss all');
  const fixed = new Set(Object.values(special));
  const places = rows.map((row) => {
    const free = [...row.keys()].filter((place) => !fixed.has(row[place] as number));
    const order = permutation(random, free.length);
    return [...order.subarray(0, Math.max(1, Math.round(0.15 * free.length)))].map((i) => free[i] as number);
  });
  return { places, maskToken: mask };
}

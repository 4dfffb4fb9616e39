// One batch of `epsilens attack decepticons`: what the client shares, what the server reads from it, and which sentence is which.

import {
  type ClientLoss,
  decepticonsKnown,
  decepticonsRound,
  type Malicious,
  type Protection,
  type SharedCosine,
} from '../attacks/index.js';
import { matchTokens } from '../metrics/index.js';
import { integerBelow, type RandomSource } from '../random/index.js';
import type { DecepticonsCase, Rows } from './attack-decepticons-target.js';
import { recoveredShare } from './attack-scores.js';
import { pairOf, type TokenPair } from './attack-tokens.js';

/** One attacked batch. */
export interface BatchLine {
  readonly index: number;
  /** In the client's order, each with the recovered one that belongs to it; without special tokens around, which everybody knows. */
  readonly sentences: readonly TokenPair[];
  /** Of what was shared to the true gradient: overall, and of what the attack reads. */
  readonly cosine: { readonly all: number; readonly read: SharedCosine };
  /** Rows that were taken for tokens. */
  readonly rows: number;
  readonly seconds: { readonly client: number; readonly attack: number };
}

/** Mean ROUGE-L when the gradient is of other sentences. */
export interface Floor {
  readonly lcsRatio: number;
  readonly of: string;
}

export interface BatchWork {
  readonly target: Pick<DecepticonsCase, 'model' | 'tokenizer' | 'shared'>;
  readonly malicious: Malicious;
  readonly protection: Protection;
  /** Of the noise. */
  readonly random: RandomSource;
  readonly onShared?: () => void;
}

export async function attackBatch(rows: Rows, loss: ClientLoss, work: BatchWork): Promise<Omit<BatchLine, 'index'>> {
  const { target, ...round } = work;
  const { model, tokenizer, shared } = target;
  const known = decepticonsKnown(tokenizer);
  const found = await decepticonsRound({ model, inputIds: rows, shared, loss, known, ...round });
  const { before, after } = known.around;
  const bare = (row: readonly number[]) => row.slice(before.length, row.length - after.length);
  const truths = rows.map(bare);
  const guesses = matchTokens(truths, found.sentences.map(bare));
  return {
    sentences: truths.map((truth, i) => pairOf(tokenizer, truth, guesses[i] as readonly number[])),
    cosine: found.cosine,
    rows: found.rows,
    seconds: found.seconds,
  };
}

/** Mean ROUGE-L of sentences against what was recovered from other ones, matched in the same way. */
export function floorBetween(truths: readonly TokenPair[], others: readonly TokenPair[]): number {
  const guesses = others.map(({ recovered }) => recovered);
  const textOf = new Map(others.map(({ recovered, recoveredText }) => [recovered, recoveredText]));
  const found = matchTokens(
    truths.map(({ truth }) => truth),
    guesses,
  );
  const shares = truths.map(({ truthText }, i) =>
    recoveredShare(truthText, textOf.get(found[i] as readonly string[]) as string),
  );
  return shares.reduce((sum, share) => sum + share, 0) / truths.length;
}

/** With one batch there are no other sentences, so random words take their place. */
export async function measureFloor(
  { batches }: Pick<DecepticonsCase, 'batches'>,
  lines: readonly BatchLine[],
  unrelated: (rows: Rows) => Promise<BatchLine['sentences']>,
): Promise<Floor | undefined> {
  const [first, second] = lines;
  if (first === undefined) return undefined;
  if (second === undefined) {
    const others = await unrelated(batches[0] as Rows);
    return { lcsRatio: floorBetween(first.sentences, others), of: 'random words' };
  }
  const floors = lines.map(({ sentences }, i) =>
    floorBetween(sentences, (lines[(i + 1) % lines.length] as BatchLine).sentences),
  );
  return { lcsRatio: floors.reduce((sum, floor) => sum + floor, 0) / floors.length, of: 'another batch' };
}

/** Sentences as long as these, of random words: their gradient has nothing to do with these. */
export function randomWords({ tokenizer }: Pick<DecepticonsCase, 'tokenizer'>, rows: Rows, random: RandomSource): Rows {
  const special = new Set<number>(Object.values(tokenizer.special));
  const draw = (): number => {
    const id = integerBelow(random, tokenizer.size);
    return special.has(id) || tokenizer.tokenOf(id) === undefined ? draw() : id;
  };
  return rows.map((row) => row.map((id) => (special.has(id) ? id : draw())));
}

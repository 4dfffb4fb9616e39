// Decepticons (Fowl et al. 2023): a server that sends malicious parameters reads whole sentences from the gradients of a batch.

import { ArgumentError, check } from '../../checks/index.js';
import { type ModelCore, parameterNames } from '../../models/index.js';
import type { GradientView, Recovery } from '../view.js';
import { type Chosen, embeddingCorrelations } from './embedding-correlations.js';
import { leakedTokens, leakParameter } from './leaked.js';
import type { Malicious } from './parameters.js';
import { chooseTokens, fillEmpty, placeRows } from './placement.js';
import { readRows } from './rows.js';

/** What the server sees; the model may be any, also one without a tokenizer. */
export interface DecepticonsView extends Omit<GradientView, 'model' | 'parameters'> {
  readonly model: ModelCore;
}

/** What Decepticons recovered. */
export interface DecepticonsRecovery extends Recovery {
  /** Number of recovered rows that were taken for tokens. */
  readonly rows: number;
}

/** Public knowledge about the text. */
export interface DecepticonsOptions {
  /** Special tokens that the tokenizer puts before and after every text. Default: none. */
  readonly around?: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** Ids below this are tokens: a word table may have rows that no text uses. Default: the size of the vocabulary. */
  readonly tokens?: number;
}

/** Names of the parameters whose gradients the attack reads. */
export function decepticonsParameters(
  model: ModelCore,
  { settings, thresholds }: Pick<Malicious, 'settings' | 'thresholds'>,
): string[] {
  const feedForwards = parameterNames(...thresholds.map((_, layer) => model.layout.blocks[layer]?.intermediate));
  return settings.tokens === 'leaked' ? [...feedForwards, leakParameter(model, settings)] : feedForwards;
}

/** Recovers the sentences of a batch, in no particular order, from gradients at malicious parameters. The lengths must be known. */
export function decepticonsAttack(
  view: DecepticonsView,
  malicious: Malicious,
  { around = { before: [], after: [] }, tokens = view.model.config.vocabulary }: DecepticonsOptions = {},
): DecepticonsRecovery {
  const lengths = checkedLengths(view);
  const { settings, tables } = malicious;
  const count = lengths.reduce((sum, length) => sum + length, 0);
  const seen = embeddingCorrelations(tables, view.model.config.hidden, settings.keyLength);
  const rows = readRows(view, malicious, count);
  const placed = placeRows(
    rows.map(({ vector }) => vector),
    seen,
    settings.keyLength,
    lengths,
  );
  const leaked = settings.tokens === 'leaked' ? leakedTokens(view, settings, count, tokens) : [];
  const chosen = chooseTokens(placed, seen, leaked, settings.replaceBelow, tokens);

  const found: (Chosen | undefined)[][] = lengths.map((length) => Array(length).fill(undefined));
  for (const [i, { sentence, place }] of placed.entries()) (found[sentence] as Chosen[])[place] = chosen[i] as Chosen;
  const empty = found.flatMap((row, sentence) =>
    [...row.keys()].filter((p) => !row[p]).map((place) => ({ sentence, place })),
  );
  const spare = leftOver(leaked, chosen);
  const filling = fillEmpty(empty, spare.length > 0 ? spare : chosen.map(({ token }) => token), placed, chosen, seen);
  for (const [i, { sentence, place }] of empty.entries()) (found[sentence] as Chosen[])[place] = filling[i] as Chosen;
  return {
    sentences: found.map((row) =>
      withKnown(
        row.map((one) => (one as Chosen).token),
        around,
      ),
    ),
    confidence: found.map((row) => row.map((one) => (one as Chosen).score)),
    rows: rows.length,
  };
}

function withKnown(tokens: number[], { before, after }: Required<DecepticonsOptions>['around']): number[] {
  if (tokens.length < before.length + after.length) return tokens;
  return [...before, ...tokens.slice(before.length, tokens.length - after.length), ...after];
}

/** The leaked tokens that no row was given. */
function leftOver(leaked: readonly number[], chosen: readonly Chosen[]): number[] {
  const taken = new Map<number, number>();
  for (const { token } of chosen) taken.set(token, (taken.get(token) ?? 0) + 1);
  return leaked.filter((token) => {
    const times = taken.get(token) ?? 0;
    taken.set(token, times - 1);
    return times <= 0;
  });
}

function checkedLengths({ lengths, batchSize, model }: DecepticonsView): readonly number[] {
  if (lengths === undefined) throw new ArgumentError('Decepticons needs the lengths of the sentences, got none');
  if (lengths.length !== batchSize)
    throw new ArgumentError(`lengths: expected those of ${batchSize} sentences, got ${lengths.length}`);
  const { positions } = model.config;
  for (const length of lengths)
    check(
      { length },
      `from 1 to the model's ${positions} positions`,
      (n) => Number.isInteger(n) && n >= 1 && n <= positions,
    );
  return lengths;
}

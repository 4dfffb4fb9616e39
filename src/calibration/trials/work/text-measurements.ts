// What a trial records of recovered texts: figures of each text as measurements, and what belongs to all of them as details.

import {
  type AttackedBatch,
  certainShare,
  type GradientAttack,
  type RecoveredSentence,
  type ScoredSentence,
  statedTokens,
  type TokensAround,
} from '../../../attacks/index.js';
import { type ReliabilityBin, reliabilityBins } from '../../../metrics/index.js';
import type { Measurement } from '../store.js';

const isProbability = ({ confidence }: GradientAttack): boolean => confidence === 'probability';

/** The figures of one text. */
export function measureText(
  attack: GradientAttack,
  sentence: ScoredSentence,
  around: TokensAround,
  batch: AttackedBatch | undefined,
): Record<string, number | undefined> {
  const { scores, floor, priorFloor, limit, genie } = sentence;
  return {
    ...scores,
    floor,
    priorFloor,
    ...(isProbability(attack) && { certainTokens: certainShare(sentence, around) }),
    ...(limit && { searchFailed: limit.searchFailed ? 1 : 0 }),
    ...(genie && { geniePlaces: genie.places, genieRight: genie.right, genieByChance: genie.byChance }),
    sharedCosine: batch?.cosine.all,
    readCosine: batch?.cosine.read,
  };
}

/** Measurements of one item; figures that are undefined are left out. */
export const measurementsOf = (item: number, figures: Readonly<Record<string, number | undefined>>): Measurement[] =>
  Object.entries(figures).flatMap(([name, value]) => (value === undefined ? [] : [{ item, name, value }]));

/** What is recorded of all texts together. None of it is private text. */
export interface TextDetails {
  /** Guessed tokens by confidence; absent if that is no probability. */
  readonly reliability?: readonly ReliabilityBin[];
  /** Limits that the attack reached, each once. */
  readonly notes?: readonly string[];
}

export function detailsOfTexts(
  attack: GradientAttack,
  sentences: readonly RecoveredSentence[],
  around: TokensAround,
  attacked: readonly AttackedBatch[],
): TextDetails {
  const notes = [...new Set(attacked.flatMap((batch) => batch.notes ?? []))];
  return {
    ...(isProbability(attack) && {
      reliability: reliabilityBins(sentences.flatMap((one) => statedTokens(one, around))),
    }),
    ...(notes.length > 0 && { notes }),
  };
}

// Whether stated probabilities can be believed: of the answers given with about this probability, which share is right (the
// reliability diagram of DeGroot & Fienberg 1983; the expected calibration error of Naeini et al. 2015).

import { clopperPearson } from '../math/index.js';

/** One answer: the probability that was stated for it, and whether it is right. */
export interface StatedAnswer {
  readonly confidence: number;
  readonly right: boolean;
}

/** The answers whose stated probability lies in one range. */
export interface ReliabilityBin {
  /** From this probability on. */
  readonly from: number;
  /** Below this one; the last range includes it. */
  readonly to: number;
  readonly answers: number;
  readonly right: number;
  /** Mean of the stated probabilities; 0 where there is no answer. */
  readonly confidence: number;
}

/** A bin with the share of answers that are right, and its 95 % interval (Clopper and Pearson), as if answers were independent. */
export interface ReliabilityShare extends ReliabilityBin {
  readonly share: number;
  readonly lower: number;
  readonly upper: number;
}

/** Finer where attackers are sure, because that is what they act on. */
const edges = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1];

/** Counts answers by their stated probability, in the same ranges every time. */
export function reliabilityBins(answers: readonly StatedAnswer[]): ReliabilityBin[] {
  return edges.slice(1).map((to, place) => {
    const from = edges[place] as number;
    const isLast = to === 1;
    const own = answers.filter(({ confidence }) => confidence >= from && (isLast || confidence < to));
    const sum = own.reduce((total, { confidence }) => total + confidence, 0);
    return {
      from,
      to,
      answers: own.length,
      right: own.filter(({ right }) => right).length,
      confidence: own.length === 0 ? 0 : sum / own.length,
    };
  });
}

/** The bins of several tables together. */
export function poolBins(tables: readonly (readonly ReliabilityBin[])[]): ReliabilityBin[] {
  return reliabilityBins([]).map((empty, place) => {
    const own = tables.flatMap((bins) => bins[place] ?? []);
    const answers = own.reduce((sum, bin) => sum + bin.answers, 0);
    const stated = own.reduce((sum, bin) => sum + bin.answers * bin.confidence, 0);
    return {
      ...empty,
      answers,
      right: own.reduce((sum, bin) => sum + bin.right, 0),
      confidence: answers === 0 ? 0 : stated / answers,
    };
  });
}

/** The shares of the bins that hold answers. */
export const reliabilityShares = (bins: readonly ReliabilityBin[]): ReliabilityShare[] =>
  bins
    .filter(({ answers }) => answers > 0)
    .map((bin) => ({ ...bin, share: bin.right / bin.answers, ...clopperPearson(bin.right, bin.answers, 0.95) }));

/** Mean distance between stated probability and share, weighted by the answers of each bin; undefined without answers. */
export function calibrationError(bins: readonly ReliabilityBin[]): number | undefined {
  const answers = bins.reduce((sum, bin) => sum + bin.answers, 0);
  if (answers === 0) return undefined;
  return bins.reduce((sum, bin) => sum + Math.abs(bin.right - bin.answers * bin.confidence), 0) / answers;
}

/** The answers that were given at least this probability, which must be an edge of the bins, and how many of them are right. */
export function answersFrom(bins: readonly ReliabilityBin[], least: number): { answers: number; right: number } {
  const sure = bins.filter(({ from }) => from >= least);
  return {
    answers: sure.reduce((sum, bin) => sum + bin.answers, 0),
    right: sure.reduce((sum, bin) => sum + bin.right, 0),
  };
}

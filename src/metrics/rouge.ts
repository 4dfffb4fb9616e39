// ROUGE (Lin 2004): overlap of runs of words, and of the longest common subsequence.

import { positiveInteger } from '../checks/index.js';

type Words = readonly string[];

/** The overlap of two texts. */
export interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** The overlap of two texts by their longest common subsequence. */
export interface SubsequenceOverlap extends Overlap {
  /** The length of the subsequence over that of the longer text: ROUGE-L in the paper that this project follows. */
  readonly lcsRatio: number;
}

/** ROUGE-L: precision, recall and F1 of the longest common subsequence of words. Empty texts score 0. */
export function rougeL(reference: Words, hypothesis: Words): SubsequenceOverlap {
  const common = longestCommonSubsequence(reference, hypothesis);
  return {
    lcsRatio: ratio(common, Math.max(reference.length, hypothesis.length)),
    ...overlap(common, reference.length, hypothesis.length),
  };
}

/** ROUGE-N: precision, recall and F1 of the runs of `size` words that both texts share, repetitions counted. */
export function rougeN(reference: Words, hypothesis: Words, size: number): Overlap {
  positiveInteger({ size });
  const left = new Map<string, number>();
  for (const run of runs(reference, size)) left.set(run, (left.get(run) ?? 0) + 1);
  let common = 0;
  for (const run of runs(hypothesis, size)) {
    const count = left.get(run) ?? 0;
    if (count === 0) continue;
    left.set(run, count - 1);
    common += 1;
  }
  return overlap(common, reference.length - size + 1, hypothesis.length - size + 1);
}

/** Words contain no spaces, so a space separates the words of a run. */
function* runs(words: Words, size: number): Generator<string> {
  for (let end = size; end <= words.length; end++) yield words.slice(end - size, end).join(' ');
}

/** Wagner and Fischer (1974): one row per word of the reference. */
function longestCommonSubsequence(reference: Words, hypothesis: Words): number {
  const row = new Uint32Array(hypothesis.length + 1);
  for (const word of reference) {
    let diagonal = 0;
    for (let column = 1; column < row.length; column++) {
      const above = row[column] as number;
      const before = row[column - 1] as number;
      row[column] = word === hypothesis[column - 1] ? diagonal + 1 : above > before ? above : before;
      diagonal = above;
    }
  }
  return row[hypothesis.length] as number;
}

function overlap(common: number, inReference: number, inHypothesis: number): Overlap {
  const [precision, recall] = [ratio(common, inHypothesis), ratio(common, inReference)];
  return { precision, recall, f1: ratio(2 * precision * recall, precision + recall) };
}

/** 0 for empty texts. */
const ratio = (part: number, whole: number): number => (part === 0 ? 0 : part / whole);

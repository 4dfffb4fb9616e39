// What a study found, as plain data: one entry for each noise level, verdicts, comparisons and conclusions. Report, JSON and
// terminal follow from it; what is to be said about mechanisms and attacks is part of it.

import type { Study } from '../study/study.js';
import type { Conclusions } from './conclusions.js';
import type { EqualLeakage } from './equal-leakage.js';

/** What is to be said about a mechanism. */
export interface AboutMechanism {
  readonly name: string;
  /** Within a sentence: “Gaussian noise”. */
  readonly label: string;
  /** For columns and legends: “Gaussian”. */
  readonly short: string;
  /** The symbol of its parameter. */
  readonly symbol: string;
  /** The symbol in words, for CSV. */
  readonly ascii: string;
  /** Which way the parameter goes when noise grows. */
  readonly moreNoise: 'higher' | 'lower';
  readonly definition: string;
}

/** What is to be said about an attack. */
export interface AboutAttack {
  readonly name: string;
  /** Within a sentence: “span”, “Decepticons”. */
  readonly label: string;
  /** Whether it gets text back from what a client shares, or tells from the trained model who was in its data. */
  readonly goal: 'reconstruction' | 'membership';
  /** The measure that stands for it. */
  readonly measure: {
    readonly key: string;
    readonly name: string;
    /** What its values mean, in a few words. */
    readonly scale: string;
    /** The least range of a chart. */
    readonly range: readonly [number, number];
  };
  /** How many texts' gradients are added up in one release it sees. */
  readonly texts: number;
  readonly definition: string;
}

/** How strong the noise is. The mechanism `none` has no parameter. */
export interface Level {
  readonly mechanism: string;
  /** Absent without noise. */
  readonly parameter?: number;
  /** What was asked for where the noise was found from it. */
  readonly target?: { readonly kind: string; readonly value: number };
}

/** A mean with a 95 % interval; both ends are the mean where there is one value only. */
export interface Estimate {
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
  readonly values: readonly number[];
}

/** On test data, one value for each seed. */
export interface Utility {
  readonly accuracy: Estimate;
  readonly matthews: Estimate;
  readonly macroF1: Estimate;
  /** Accuracy on the training data minus accuracy on the test data. */
  readonly gap: Estimate;
  /** Cosine of a step's release to its own sum before noise, and to the plain gradient, mean over the steps. */
  readonly cosineToSum?: Estimate;
  readonly cosineToGradient?: Estimate;
}

/** What would hold with secret noise. */
export interface LevelGuarantee {
  /** May be infinite. */
  readonly epsilon: number;
  readonly delta: number;
  readonly neighbours: string;
  readonly accountant: string;
  readonly bound: string;
  readonly statement: readonly string[];
}

/** One true text and what the attack made of it. */
export interface Comparison {
  readonly truth: string;
  readonly guess: string;
  readonly truthTokens: readonly string[];
  readonly guessTokens: readonly string[];
  readonly lcsRatio: number;
}

export interface Leakage {
  /** The measure that stands for the attack: the LCS ratio of reconstructions, the AUC of membership. */
  readonly main: Estimate;
  /** All measures by name, the main one included. */
  readonly measures: Readonly<Record<string, Estimate>>;
  /** What the main measure is when there is nothing to find. */
  readonly floor: number;
  /** Cosine of what was shared to the true gradient: of all of it, and of the tensors the attack reads. */
  readonly cosine?: Estimate;
  readonly cosineRead?: Estimate;
  readonly comparisons: readonly Comparison[];
}

export interface LevelResults {
  readonly level: Level;
  readonly utility?: Utility;
  readonly guarantee?: LevelGuarantee;
  /**
   * The expected length of all noise on one shared gradient, as a multiple of the gradient's bound; absent for mechanisms
   * that do not add noise of a known size.
   */
  readonly noiseLength?: number;
  /** By attack. */
  readonly leakage: Readonly<Record<string, Leakage>>;
}

/**
 * How leakage answers to noise: it falls all the way; it falls and then stays where it is; it does neither in order; it does
 * not move at all.
 */
export type Verdict = 'well behaved' | 'bottoms out' | 'erratic' | 'flat';

export interface Behaviour {
  readonly attack: string;
  readonly mechanism: string;
  /** Spearman's rank correlation of leakage with the amount of noise: −1 where it falls at every level. */
  readonly correlation: Estimate;
  readonly verdict: Verdict;
  /** From this level on more noise changes nothing. */
  readonly bottom?: Level;
}

export interface SetSize {
  /** As the study names it. */
  readonly selection: string;
  readonly tensors: number;
  /** K. */
  readonly numbers: number;
}

export interface StudyResults {
  readonly study: Study;
  readonly model: { readonly name: string; readonly parameters: number; readonly digest: string };
  readonly data: {
    readonly name: string;
    readonly classes: readonly string[];
    readonly train: number;
    readonly test: number;
    readonly digest: string;
    /** Accuracy of always naming the most frequent class of the test data. */
    readonly majority: number;
  };
  readonly trainable: SetSize;
  readonly shared: SetSize;
  /** In the order of the study. */
  readonly mechanisms: readonly AboutMechanism[];
  readonly attacks: readonly AboutAttack[];
  /** Without noise first, then each mechanism from the least to the most noise. */
  readonly levels: readonly LevelResults[];
  readonly behaviours: readonly Behaviour[];
  /** One for each attack and pair of mechanisms that reach the same leakage. */
  readonly equalLeakage: readonly EqualLeakage[];
  readonly conclusions: Conclusions;
  /** Trials that failed, in words. */
  readonly failures: readonly { readonly trial: string; readonly what: string; readonly error: string }[];
  /** Trials that are still to be run. */
  readonly missing: number;
  readonly version: string;
  /** When the last trial was done. */
  readonly finished: string;
}

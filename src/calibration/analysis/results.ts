// The results of a study as plain data: one entry per noise level, verdicts, comparisons and conclusions. Report, JSON and terminal
// follow from them; labels and definitions of mechanisms and attacks are part of them.

import type {
  GenieResult,
  GenieTally,
  KindTest,
  MembershipBound,
  SearchFailures,
  SearchLimit,
  SituationName,
} from '../../attacks/index.js';
import type { SplitName } from '../../data/index.js';
import type { PlanSizes } from '../../mechanisms/index.js';
import type { ReliabilityBin, RocRates } from '../../metrics/index.js';
import type { Study } from '../study/study.js';
import type { TunedSettings } from '../study/tuning.js';
import type { Bridge } from './bridge.js';
import type { Conclusions } from './conclusions.js';
import type { EqualCosine } from './equal-cosine.js';
import type { EqualLeakage } from './equal-leakage.js';
import type { NoiseRatio } from './noise-ratio.js';
import type { Answers } from './question.js';

/** Labels, symbol and definition of a mechanism, for reports. */
export interface AboutMechanism {
  readonly name: string;
  /** Its name within a sentence: “Gaussian noise”. */
  readonly label: string;
  /** Its name in columns and legends: “Gaussian”. */
  readonly short: string;
  /** What its parameter is called: “noise multiplier”, “concentration”. */
  readonly parameter: string;
  /** The symbol of its parameter. */
  readonly symbol: string;
  /** The symbol in ASCII, for CSV. */
  readonly ascii: string;
  /** Whether a higher or a lower parameter means more noise. */
  readonly moreNoise: 'higher' | 'lower';
  /** What the parameter means, for readers. */
  readonly definition: string;
}

/** Labels, measure and definition of an attack, for reports. */
export interface AboutAttack {
  readonly name: string;
  /** Its name within a sentence: “span”, “Decepticons”. */
  readonly label: string;
  /** Whether it recovers text from what a client shares, or infers membership from the trained model. */
  readonly goal: 'reconstruction' | 'membership';
  /** Who must be able to see what for this attack. */
  readonly situation: SituationName;
  /** Its main measure. */
  readonly measure: {
    readonly key: string;
    readonly name: string;
    /** What its values mean, in a few words. */
    readonly scale: string;
    /** The range that a chart shows at least. */
    readonly range: readonly [number, number];
  };
  /** Number of texts whose gradients are summed in one release that it sees. */
  readonly texts: number;
  /** Who attacks and what they see, for readers. */
  readonly definition: string;
  /** Whether it attacks models that it trains itself, with another plan than the study's own training. Absent: no. */
  readonly ownModels?: true;
}

/** A noise level. A mechanism without noise has no parameter. */
export interface Level {
  readonly mechanism: string;
  /** Without noise: the mechanisms whose curves begin here. Absent: all. */
  readonly startOf?: readonly string[];
  /** Without noise: what the level is called, if it is not simply no noise. */
  readonly label?: string;
  /** The dropout of a control, in place of that of the study: one probability, or `config`. */
  readonly dropout?: number | 'config';
  /** The mechanism's parameter, σ or κ; absent without noise. */
  readonly parameter?: number;
  /** The ε or cosine from which the parameter was found, if the study gives one. */
  readonly target?: { readonly kind: string; readonly value: number };
}

/** A mean with its 95 % interval; both ends are the mean if there is a single value. */
export interface Estimate {
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
  /** One value per seed or text. */
  readonly values: readonly number[];
}

/** Utility on test data, one value per seed. */
export interface Utility {
  readonly accuracy: Estimate;
  readonly matthews: Estimate;
  readonly macroF1: Estimate;
  /** Accuracy on the training data minus accuracy on the test data. */
  readonly gap: Estimate;
  /** Cosine between a step's release and its own sum before noise, mean over the steps. */
  readonly cosineToSum?: Estimate;
  /** Cosine between a step's release and the plain gradient, neither clipped nor noisy, mean over the steps. */
  readonly cosineToGradient?: Estimate;
  /** `cosineToSum` as the size of the noise predicts it, mean over the steps; absent where there is no formula. */
  readonly expectedCosine?: Estimate;
  /** Length of a step's sum before noise, in clip norms: root of the mean square over the steps. */
  readonly sumNorm?: Estimate;
  /** Share of the random directions that were drawn uniformly, because a gradient was zero; absent for other mechanisms. */
  readonly uniformShare?: number;
}

/** An ε with what it means nothing without. */
export interface StatedEpsilon {
  /** May be infinite. */
  readonly epsilon: number;
  readonly delta: number;
  readonly neighbours: string;
  /** The record that is protected; absent in results that were put together by hand. */
  readonly unit?: string;
  readonly accountant: string;
  readonly bound: string;
}

/** The guarantee that training at a level would have with secret noise. */
export interface LevelGuarantee extends StatedEpsilon {
  /** The guarantee in sentences, with what it does not cover. */
  readonly statement: readonly string[];
}

/** What a client is promised for the gradients that it shares at a level, with secret noise: neighbours replace one of its texts. */
export interface SharedGuarantee {
  /** That of one release. */
  readonly once: StatedEpsilon;
  /** In how many rounds the same text takes part, and the guarantee of all of them together; absent for one round. */
  readonly rounds?: { readonly count: number; readonly all: StatedEpsilon };
}

/** One true text and what the attack recovered of it: private text. */
export interface Comparison {
  readonly truth: string;
  /** The text before the tokenizer read and cut it; absent in trials of older versions. */
  readonly original?: string;
  readonly guess: string;
  readonly truthTokens: readonly string[];
  readonly guessTokens: readonly string[];
  /** How sure the attack is of each guessed token: a probability for attacks that have a likelihood, otherwise on a scale of their own. */
  readonly confidence?: readonly number[];
  /** Truth and answer by the attack's own objective, in nats, if it has one. */
  readonly limit?: SearchLimit;
  /** How a genie did on this text's gradient, if it was asked. */
  readonly genie?: GenieTally;
  readonly lcsRatio: number;
  /** Whether the recovery stands out of what unrelated text scores at this level; if not, the guess is noise. */
  readonly recovered?: boolean;
}

/** The ROC curve of a membership attack at one level. */
export interface LevelRoc {
  /** Mean true positive rates over seeds at equal false positive rates, each read without interpolation. */
  readonly points: readonly RocRates[];
  /** Numbers of members and non-members, the least of all seeds: rates below one of so many were not measured. */
  readonly members: number;
  readonly others: number;
  /** ε and δ that bound what was attacked, the weakest of all seeds; absent where no guarantee does. */
  readonly bound?: MembershipBound;
}

/** How many records were named again and again. */
export interface RepeatedNames {
  /** In at least so many runs. */
  readonly runs: number;
  readonly members: number;
  /** Records that were never trained on, each compared with the rest of them: what chance and easy texts do. */
  readonly others: number;
}

/** A training record that an attack singles out: private. */
export interface ExposedRecord {
  /** Where it stands in the data as they were loaded, whichever part of them the study then used. */
  readonly split: SplitName;
  /** The first of the split is 1. */
  readonly row: number;
  /** How its text begins. */
  readonly text: string;
  /** In how many runs it would be named at 1 % false alarms, of the runs in which it was trained on. */
  readonly named: number;
  readonly runs: number;
  /** The rate of false alarms at which it would be named: the median over these runs. */
  readonly rate: number;
  /** How many of all training records chance alone would make as exposed over all runs, at most. */
  readonly byChance: number;
  /** Which share of the records that are at least as exposed is expected to be due to chance, at most (Benjamini and Hochberg 1995). */
  readonly falseShare: number;
}

/** Who would be named at one level, if a membership attack accepted few false alarms. */
export interface LevelRecords {
  /** The rate of false alarms that is accepted, .01. */
  readonly falseAlarms: number;
  /** Models that were attacked. */
  readonly runs: number;
  /** Training records per run; the mean where runs differ. */
  readonly members: number;
  /** Records that were never trained on, the fewest of all runs. With fewer than 99 nobody can be named at 1 % false alarms. */
  readonly others: number;
  /** How many training records would be named, one value per run. */
  readonly named: Estimate;
  /** How many would be in one run by chance alone, if scores have no ties. */
  readonly byChance: number;
  /** In one run or more, in two or more, and so on; absent where every run has training records of its own. */
  readonly repeated?: readonly RepeatedNames[];
  /** The most exposed records, at most 20: private. `redactResults` of `epsilens/report` removes them. */
  readonly most: readonly ExposedRecord[];
}

/** What an attack got at one level. */
export interface Leakage {
  /** The attack's main measure: the LCS ratio of reconstruction, the AUC of membership. */
  readonly main: Estimate;
  /** All measures by name, the main one included. */
  readonly measures: Readonly<Record<string, Estimate>>;
  /** The main measure when there is nothing to find: on another text's gradient, or by the prior alone if that is higher. */
  readonly floor: number;
  /** What the attack's prior scores without any gradient; absent if it has none. */
  readonly priorFloor?: number;
  /** Guessed tokens by confidence; absent if that is no probability. The share of tokens that are certain is `measures.certainTokens`. */
  readonly reliability?: readonly ReliabilityBin[];
  /** In how many texts the truth is likelier than the answer, by the attack's own objective; absent if it has none. */
  readonly search?: SearchFailures;
  /** How a genie that knows every other token of a text did; absent if the study asks for none. */
  readonly genie?: GenieResult;
  /** Limits that the attack reached, one sentence each, without private text; absent if there are none. */
  readonly notes?: readonly string[];
  /** Cosine between the shared and the true gradient. */
  readonly cosine?: Estimate;
  /** The same over the tensors that the attack reads. */
  readonly cosineRead?: Estimate;
  /** Recovered texts beside the true ones; none for membership. */
  readonly comparisons: readonly Comparison[];
  /** Membership: whether the non-members are of the kind of the training data; absent if that was not tested. */
  readonly kind?: KindTest;
  /** Membership: the ROC curve; absent in trials of older versions. */
  readonly roc?: LevelRoc;
  /** Membership: which training records would be named, and how many. */
  readonly records?: LevelRecords;
}

/** What was measured at one noise level. */
export interface LevelResults {
  readonly level: Level;
  readonly utility?: Utility;
  /** The settings of training that a study may tune, as they were used here. */
  readonly settings?: TunedSettings;
  /** Steps of one training run. */
  readonly steps?: number;
  /** The guarantee of the runs that were trained and attacked; what attacks on them reach is held against this one. */
  readonly guarantee?: LevelGuarantee;
  /** The guarantee of gradients that a client shares; absent without one. */
  readonly shared?: SharedGuarantee;
  /** The guarantee of the training that the study stands for, with the noise of this level. Absent if that is the study's own. */
  readonly planned?: LevelGuarantee;
  /**
   * The expected length of the noise on one shared gradient, as a multiple of the clip norm; absent for mechanisms that do not add
   * noise of a known size.
   */
  readonly noiseLength?: number;
  /** By the name of the attack. */
  readonly leakage: Readonly<Record<string, Leakage>>;
}

/** What was tried at one noise level to choose the settings of training. */
export interface TuningResults {
  readonly level: Level;
  readonly tried: readonly {
    readonly settings: TunedSettings;
    /** Accuracy on validation data. */
    readonly accuracy: Estimate;
    readonly isChosen: boolean;
  }[];
  /** Settings whose best value is the lowest or highest that was tried: a wider range might do better. */
  readonly atEdge: readonly (keyof TunedSettings)[];
}

/**
 * How leakage responds to noise: it falls to the end, falls and then levels off, moves but does not fall steadily, or hardly moves.
 * docs/calibration.md defines each.
 */
export type Verdict = 'well behaved' | 'bottoms out' | 'erratic' | 'flat';

/** How an attack responds to a mechanism's noise. */
export interface Behaviour {
  readonly attack: string;
  readonly mechanism: string;
  /** Spearman's rank correlation of leakage with the amount of noise: −1 where leakage falls at every level. */
  readonly correlation: Estimate;
  readonly verdict: Verdict;
  /** The level from which on more noise makes no difference that the study can see. */
  readonly bottom?: Level;
}

/** The sizes of the training that a study stands for, and of the runs that were trained and attacked in its place. */
export interface PlanResults {
  readonly planned: PlanSizes;
  /** The same noise and batch size, and as many steps: more only where whole epochs have more. */
  readonly attacked: PlanSizes;
  /** Rows that the data offer for training. */
  readonly offered: number;
  /** The limit of the data, if it was not applied to the rows that are trained on because the features of the frozen part are kept. */
  readonly pastLimit?: number;
}

/** The size of a set of parameters. */
export interface SetSize {
  /** The selection as the study names it. */
  readonly selection: string;
  readonly tensors: number;
  /** K, the number of values in all tensors. */
  readonly numbers: number;
  /** How many layers of the model they belong to; absent for the shared set, and in stores of older versions. */
  readonly layers?: number;
  /** The most tensors that a client shares with an attack of the study, whose loss may need another head; absent if that is `tensors`. */
  readonly mostTensors?: number;
}

/** What computed trials: versions, and the kind of machine. */
export interface ComputedWith {
  readonly epsilens: string;
  readonly node: string;
  /** ONNX Runtime. */
  readonly onnxRuntime: string;
  /** Operating system and processor, such as `linux x64`. */
  readonly machine: string;
}

/** The results of a study. They hold private text: `redactResults` of `epsilens/report` removes it. */
export interface StudyResults {
  readonly study: Study;
  readonly model: {
    readonly name: string;
    readonly parameters: number;
    readonly digest: string;
    /** Digest of the tokenizer; absent in stores of older versions. */
    readonly tokenizer?: string;
  };
  readonly data: {
    readonly name: string;
    readonly classes: readonly string[];
    readonly train: number;
    readonly test: number;
    /** Examples that chose tuned settings; absent if nothing was tuned. */
    readonly validation?: number;
    /** Of all texts and labels. Redacted results have none, because it tells whether a guess at a record is right. */
    readonly digest?: string;
    /** Accuracy of always naming the most frequent class of the test data. */
    readonly majority: number;
  };
  /** Both sizes, if the study stands for another training than its own. */
  readonly plan?: PlanResults;
  readonly trainable: SetSize;
  readonly shared: SetSize;
  /** In the order of the study. */
  readonly mechanisms: readonly AboutMechanism[];
  readonly attacks: readonly AboutAttack[];
  /** Without noise first, then each mechanism from the least to the most noise. */
  readonly levels: readonly LevelResults[];
  readonly behaviours: readonly Behaviour[];
  /** One entry per level at which settings were tried; none if nothing was tuned. */
  readonly tuning: readonly TuningResults[];
  /** One entry per attack and pair of mechanisms that reach the same leakage. */
  readonly equalLeakage: readonly EqualLeakage[];
  /** One entry per pair of mechanisms whose releases in training reach the same cosine. */
  readonly equalCosine: readonly EqualCosine[];
  /** One entry per pair of mechanisms that differ only in their noise: what it is in training where a shared gradient leaks equally. */
  readonly noiseRatios: readonly NoiseRatio[];
  readonly conclusions: Conclusions;
  /** What each attacker gets, by who sees what: the question is that of `answer`, by default what ε = 8 means. */
  readonly answers: Answers;
  /** One entry per reconstruction attack and pair of mechanisms: which noise of both leaks as much. */
  readonly bridges: readonly Bridge[];
  /** Failed trials with their errors. */
  readonly failures: readonly { readonly trial: string; readonly what: string; readonly error: string }[];
  /** Trials that are still to be run. */
  readonly missing: number;
  readonly version: string;
  /** What computed the trials, each combination once; absent if no trial recorded it. */
  readonly computedWith?: readonly ComputedWith[];
  /** When the last trial was finished, as an ISO time. */
  readonly finished: string;
}

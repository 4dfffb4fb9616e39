// The one evaluation of membership attacks: the attack scores every candidate without knowing which are members; the figures
// compare its scores with the truth.

import type { OptionValues } from '../../checks/index.js';
import type { Interval } from '../../math/index.js';
import { bootstrapIntervals, type RocRates, ranksOf, rocCurve, separation, thinRoc } from '../../metrics/index.js';
import { permutation, type SeededSource } from '../../random/index.js';
import type { MembershipAttack } from '../attack.js';
import { lossOfMargin, marginOfLoss, marginsOf } from '../membership/margins.js';
import type { Insight, LossView, Population, ReferenceModel } from '../view.js';

/** Numbers of the members and of the others. */
export interface Sides<T> {
  readonly members: T;
  readonly others: T;
}

/** The ground truth: losses of examples that were in the training data, and of others. */
export interface MembershipTruth extends Sides<ArrayLike<number>> {
  /** Log-odds of their own labels. Default: from the losses, which are rounded near 0. */
  readonly margins?: Sides<ArrayLike<number>>;
  /** Models of the attacker's own. Default: none. */
  readonly references?: readonly ReferenceTruth[];
  /** What parameters and training of the target show of them. Default: nothing. */
  readonly insight?: Sides<Insight>;
  /** Losses of what the attack asked about for each of them. Default: nothing. */
  readonly queried?: Sides<readonly Float64Array[]>;
  /** Known non-members, which are not among the others. Default: none. */
  readonly population?: Population;
  /** Groups of the members and of the others, whose examples resemble each other: they are resampled as a whole. Default: none. */
  readonly groups?: Sides<Groups>;
}

/** What a classifier says of some examples: logits, row by row, and the examples' own labels. */
export interface LogitSide {
  readonly logits: Float32Array;
  readonly labels: readonly number[];
}

/** Losses and log-odds of members and others, from the logits of the attacked model. */
export function truthOfLogits(
  sides: Sides<LogitSide>,
  classes: number,
): Pick<MembershipTruth, keyof Sides<unknown> | 'margins'> {
  const margins = bothSides(sides, ({ logits, labels }) => marginsOf(logits, labels, classes));
  return { ...bothSides(margins, (numbers) => numbers.map(lossOfMargin)), margins };
}

/** What a reference model says of the members and others of the target, and which of those it was trained on itself. */
export interface ReferenceTruth {
  readonly margins: Sides<ArrayLike<number>>;
  /** 1 for examples that it was trained on. */
  readonly inside: Sides<ArrayLike<number>>;
  readonly own: ReferenceModel['own'];
}

type Groups = readonly (string | undefined)[];

/** A figure with its 95 % bootstrap interval. */
export interface Figure extends Interval {
  readonly value: number;
}

/** How well the attack tells members from others. */
export interface MembershipResult {
  /** Probability that a member scores higher than another example, ties counting one half: .5 is guessing. */
  readonly auc: Figure;
  /** Greatest TPR − FPR over all thresholds. It is chosen on these examples, so it is a little above 0 even by chance. */
  readonly advantage: Figure;
  /** True-positive rate at a false-positive rate of 1 %. */
  readonly tprAt1: Figure;
  /** True-positive rate at a false-positive rate of 0.1 %. */
  readonly tprAt01: Figure;
  /** Mean loss of others − mean loss of members. */
  readonly lossGap: Figure;
  /** What the attack's own decision gives; absent if it only ranks. */
  readonly decision?: Decision;
  /** Number of members. */
  readonly members: number;
  /** Number of non-members. */
  readonly others: number;
  /** TPR against FPR over all thresholds, in at most about 200 points: see `thinRoc` of `epsilens/metrics`. */
  readonly roc: readonly RocRates[];
  /** The same figures between two halves of the non-members: what chance gives. */
  readonly floor: { readonly auc: number; readonly advantage: number; readonly tprAt1: number };
}

/** The rates of the attack's own decision, whose threshold is not chosen on these examples. */
export interface Decision {
  readonly truePositiveRate: Figure;
  readonly falsePositiveRate: Figure;
  /** TPR − FPR, which is 0 for guessing. */
  readonly advantage: Figure;
  /** (1 + TPR − FPR)/2: the share of right answers if members and others are equally many. */
  readonly balancedAccuracy: Figure;
}

/** An attack, and the examples to tell apart. */
export interface MembershipOptions {
  readonly attack: MembershipAttack;
  readonly options: OptionValues<MembershipAttack['options']>;
  readonly truth: MembershipTruth;
  /** The random source of the bootstrap. The attack and the shuffling use streams of it. */
  readonly random: SeededSource;
  /** Bootstrap resamples. Default: 400. */
  readonly resamples?: number;
}

/** The figures of an attack, and the order in which it puts the candidates. */
export interface CandidateResult {
  readonly result: MembershipResult;
  /** How many candidates score at least as high as each member and each other, itself among them, in the order of the truth: see `ranksOf` of `epsilens/metrics`. */
  readonly ranks: Sides<Uint32Array>;
}

/** Runs a membership attack on shuffled candidates and compares its scores with the truth. */
export const evaluateMembership = (options: MembershipOptions): MembershipResult => evaluateCandidates(options).result;

/** The same, with what the attack says of each candidate. Only the order is kept, no score. */
export function evaluateCandidates(evaluation: MembershipOptions): CandidateResult {
  const { attack, options, truth, random, resamples = 400 } = evaluation;
  const scores = scoreBlindly(attack, options, truth, random);
  const groups = {
    members: { losses: Float64Array.from(truth.members), scores: scores.members },
    others: { losses: Float64Array.from(truth.others), scores: scores.others },
  };
  const threshold = attack.decision?.(options);
  const values = figures(groups.members, groups.others, threshold);
  const units = [
    unitsOf(truth.members.length, truth.groups?.members),
    unitsOf(truth.others.length, truth.groups?.others),
  ] as const;
  const intervals = bootstrapIntervals(
    random,
    units.map(({ length }) => length),
    ([a, b]) =>
      figures(taken(groups.members, places(units[0], a)), taken(groups.others, places(units[1], b)), threshold),
    { resamples },
  );
  const figure = (place: number): Figure => ({ value: values[place] as number, ...(intervals[place] as Interval) });
  const result: MembershipResult = {
    auc: figure(0),
    advantage: figure(1),
    tprAt1: figure(2),
    tprAt01: figure(3),
    lossGap: figure(4),
    ...(threshold !== undefined && {
      decision: {
        truePositiveRate: figure(5),
        falsePositiveRate: figure(6),
        advantage: figure(7),
        balancedAccuracy: figure(8),
      },
    }),
    members: truth.members.length,
    others: truth.others.length,
    roc: thinRoc(rocCurve(scores.members, scores.others)),
    floor: floorOf(groups.others),
  };
  return { result, ranks: ranksOf({ members: scores.members, others: scores.others }) };
}

interface Group {
  readonly losses: Float64Array;
  readonly scores: Float64Array;
}

/** Shuffles the candidates first, so that their order gives nothing away. */
function scoreBlindly(
  attack: MembershipAttack,
  options: MembershipOptions['options'],
  truth: MembershipTruth,
  random: SeededSource,
): Sides<Float64Array> {
  const members = truth.members.length;
  const order = permutation(random.stream('order'), members + truth.others.length);
  const picked = <T>({ members: inside, others }: Sides<ArrayLike<T>>): T[] =>
    Array.from(order, (place) => (place < members ? inside[place] : others[place - members]) as T);
  const shuffled = (sides: Sides<ArrayLike<number>>): Float64Array => Float64Array.from(picked(sides));
  const losses = shuffled(truth);
  const view: LossView = {
    losses,
    margins: truth.margins ? shuffled(truth.margins) : losses.map(marginOfLoss),
    references: (truth.references ?? []).map(({ margins, inside, own }) => ({
      margins: shuffled(margins),
      inside: Uint8Array.from(shuffled(inside)),
      own,
    })),
    ...(truth.insight && {
      insight: {
        gradientNorms: shuffled(bothSides(truth.insight, ({ gradientNorms }) => gradientNorms)),
        evidence: shuffled(bothSides(truth.insight, ({ evidence }) => evidence)),
      },
    }),
    ...(truth.queried && { queried: picked(truth.queried) }),
    ...(truth.population && { population: truth.population }),
  };
  const found = attack.run(view, options, random.stream('attack'));
  const scores = new Float64Array(order.length);
  for (const [place, index] of order.entries()) scores[index] = found[place] as number;
  return { members: scores.subarray(0, members), others: scores.subarray(members) };
}

const bothSides = <T, U>({ members, others }: Sides<T>, of: (side: T) => U): Sides<U> => ({
  members: of(members),
  others: of(others),
});

/** The places of the examples of each group; an example without a group is one by itself. */
export function unitsOf(count: number, groups: Groups = []): number[][] {
  const named = new Map<string, number[]>();
  const units: number[][] = [];
  for (let place = 0; place < count; place++) {
    const group = groups[place];
    const known = group === undefined ? undefined : named.get(group);
    if (known) {
      known.push(place);
      continue;
    }
    const unit = [place];
    units.push(unit);
    if (group !== undefined) named.set(group, unit);
  }
  return units;
}

/** The places of the examples of the drawn units. */
function places(units: readonly number[][], drawn: Uint32Array = new Uint32Array()): Uint32Array {
  let count = 0;
  for (const unit of drawn) count += (units[unit] as number[]).length;
  const all = new Uint32Array(count);
  let end = 0;
  for (const unit of drawn) for (const place of units[unit] as number[]) all[end++] = place;
  return all;
}

function figures(inside: Group, outside: Group, threshold?: number): number[] {
  const { area, advantage, truePositiveRates } = separation(inside.scores, outside.scores, [0.01, 0.001]);
  const ranked = [area, advantage, ...truePositiveRates, mean(outside.losses) - mean(inside.losses)];
  if (threshold === undefined) return ranked;
  const [right, wrong] = [shareFrom(inside.scores, threshold), shareFrom(outside.scores, threshold)];
  return [...ranked, right, wrong, right - wrong, (1 + right - wrong) / 2];
}

/** The share of scores that are at least this. */
const shareFrom = (scores: Float64Array, threshold: number): number =>
  scores.reduce((count, score) => count + (score >= threshold ? 1 : 0), 0) / scores.length;

function floorOf(others: Group): MembershipResult['floor'] {
  const places = [0, 1].map((rest) => Uint32Array.from(others.losses.keys()).filter((place) => place % 2 === rest)) as [
    Uint32Array,
    Uint32Array,
  ];
  if (places.some(({ length }) => length === 0)) return { auc: 0.5, advantage: 0, tprAt1: 0 };
  const [auc = 0.5, advantage = 0, tprAt1 = 0] = figures(taken(others, places[0]), taken(others, places[1]));
  return { auc, advantage, tprAt1 };
}

const taken = ({ losses, scores }: Group, places: Uint32Array): Group => {
  const pick = (numbers: Float64Array) => {
    const picked = new Float64Array(places.length);
    for (let i = 0; i < picked.length; i++) picked[i] = numbers[places[i] as number] as number;
    return picked;
  };
  return { losses: pick(losses), scores: pick(scores) };
};

const mean = (numbers: Float64Array): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

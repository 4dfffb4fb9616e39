// What the figures of a membership attack allow to say, and what they do not.

import { logSumExp } from '../../math/index.js';
import type { KindTest } from './kind.js';
import type { MembershipResult } from './membership.js';

/** Where the non-members of an attack come from: examples that the run held out at random, or a split of the data. */
export type OthersFrom = 'held-out' | 'test' | 'validation';

/** What decides a verdict besides the figures. */
export interface VerdictContext {
  readonly othersFrom: OthersFrom;
  /** Absent if the others were held out at random, or if there are too few examples to test. */
  readonly kind?: KindTest;
  /** Whether examples form groups, whose scores are not independent. Default: false. */
  readonly grouped?: boolean;
}

/** Whether a rate of false positives can be measured: one false positive among the non-members must not exceed it. */
export const isMeasurable = (falsePositiveRate: number, others: number): boolean =>
  others * falsePositiveRate >= 1 - 1e-9;

/** The figures without rates that so few non-members cannot show. */
export function onlyMeasurable<Result extends Pick<MembershipResult, 'tprAt1' | 'tprAt01' | 'others'>>(result: Result) {
  const { tprAt1, tprAt01, ...rest } = result;
  return {
    ...rest,
    tprAt1: isMeasurable(0.01, result.others) ? tprAt1 : null,
    tprAt01: isMeasurable(0.001, result.others) ? tprAt01 : null,
  };
}

/** The false positives that a rate allows. */
const allowed = (falsePositiveRate: number, others: number): number => Math.floor(others * falsePositiveRate + 1e-9);

/** The true positive rate that guessing reaches on average: the threshold lies just above the first false positive too many. */
export const chanceAt = (falsePositiveRate: number, others: number): number =>
  (allowed(falsePositiveRate, others) + 1) / (others + 1);

/** One sentence that is true of these figures. It never says that a model is safe. */
export function membershipVerdict(result: MembershipResult, context: VerdictContext): string {
  const { auc } = result;
  const { othersFrom, kind, grouped = false } = context;
  const figure = `AUC ${auc.value.toFixed(3)} (95 % interval ${auc.lower.toFixed(3)} to ${auc.upper.toFixed(3)})`;
  if (kind?.different) {
    return `Cannot be judged: members and others are of different kinds, and ${figure} may show the kind rather than membership.`;
  }
  if (auc.upper < 0.5) {
    return `Cannot be judged: members have larger losses than others, ${figure}, which training on them does not explain.`;
  }
  const untested = othersFrom !== 'held-out' && kind === undefined;
  const condition = untested ? ', if the two are of one kind, which could not be tested' : '';
  if (auc.lower > 0.5) return `Members can be told from others: ${figure} is above guessing${condition}.`;
  // The count of those who stand out needs independent examples.
  const standing = grouped ? undefined : rates.find((rate) => standsOut(result, rate));
  if (standing !== undefined) {
    const tpr = standing.of(result).value;
    return `Some members can be told from others: at ${standing.words} FPR the attack finds ${percent(tpr)} of the members, where guessing finds ${percent(chanceAt(standing.rate, result.others))}, although ${figure} includes guessing${condition}.`;
  }
  return `Members cannot be told from others here by this attack: ${figure} includes guessing${condition}. A stronger attack may tell more.`;
}

/** Sentences about the choice of non-members; none if they were held out at random. */
export function kindWarnings({ othersFrom, kind }: VerdictContext): string[] {
  if (othersFrom === 'held-out') return [];
  const source = `The others are the split ${othersFrom}, not examples held out at random before training`;
  const advice =
    'hold examples out before training (epsilens train --hold-out, or holdOut in fineTune), so that the others are drawn like the members';
  if (kind === undefined)
    return [`${source}, and there are too few to test whether the two are of one kind: ${advice}.`];
  if (!kind.different) {
    return [
      `${source}. A test found no difference in kind (p = ${kind.pValue.toFixed(2)}), which does not prove that there is none: to be sure, ${advice}.`,
    ];
  }
  const { members, others } = kind.tokens;
  const how = { lengths: `lengths (${members} and ${others} tokens at the median)`, words: 'words and labels' }[
    kind.by
  ];
  return [
    `${source}, and the two are of different kinds: their ${how} alone tell them apart with an AUC of ${kind.auc.toFixed(2)}, without the model. The AUC of the attack may show the kind rather than membership: ${advice}.`,
  ];
}

interface Rate {
  readonly rate: number;
  readonly words: string;
  readonly of: (result: MembershipResult) => MembershipResult['tprAt1'];
}

const rates: readonly Rate[] = [
  { rate: 0.01, words: '1 %', of: ({ tprAt1 }) => tprAt1 },
  { rate: 0.001, words: '0.1 %', of: ({ tprAt01 }) => tprAt01 },
];

/** More true positives than guessing finds once in a hundred times. */
function standsOut(result: MembershipResult, { rate, of }: Rate): boolean {
  const { members, others } = result;
  if (!isMeasurable(rate, others)) return false;
  const found = Math.round(of(result).value * members);
  return logTail(found, members, others, allowed(rate, others)) < Math.log(0.01);
}

/**
 * The log-probability that guessing ranks at least t of m members before the k + 1st of n others. That is the case if the first
 * t + k of all hold at most k others: a hypergeometric tail, exact where no scores are tied.
 */
function logTail(t: number, m: number, n: number, k: number): number {
  if (t === 0) return 0;
  const factorials = logFactorials(m + n);
  const choose = (all: number, some: number): number =>
    some < 0 || some > all
      ? Number.NEGATIVE_INFINITY
      : (factorials[all] as number) - (factorials[some] as number) - (factorials[all - some] as number);
  const terms = Array.from({ length: k + 1 }, (_, others) => choose(n, others) + choose(m, t + k - others));
  return logSumExp(terms) - choose(m + n, t + k);
}

function logFactorials(largest: number): Float64Array {
  const logs = new Float64Array(largest + 1);
  for (let i = 2; i <= largest; i++) logs[i] = (logs[i - 1] as number) + Math.log(i);
  return logs;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

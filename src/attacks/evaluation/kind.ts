// Are two sets of texts of one kind? A classifier two-sample test (Lopez-Paz & Oquab 2017) on what texts look like before any
// model is trained on them: their length, their words and their labels. If these tell members from others, so may the losses.

import { normalCdf } from '../../math/index.js';
import { rankTest } from '../../metrics/index.js';
import { permutation, type RandomSource } from '../../random/index.js';

/** Encoded examples of one side. */
export interface KindExamples {
  readonly inputIds: readonly (readonly number[])[];
  readonly labels: readonly number[];
  /** Groups whose examples resemble each other (a mail thread, a user); one example per group is compared. */
  readonly groups?: readonly (string | undefined)[];
}

/** Whether members and others are of one kind, apart from training. */
export interface KindTest {
  /** Whether the test fires: two samples of one kind do so with a probability of at most 1 %. */
  readonly different: boolean;
  /** The p-value, corrected for the looks that were taken. */
  readonly pValue: number;
  /** How well the kind alone tells the two apart, without the model: by lengths, or by words and labels, whichever does it better. */
  readonly auc: number;
  readonly by: 'lengths' | 'words';
  /** Median lengths in tokens. */
  readonly tokens: { readonly members: number; readonly others: number };
}

/** The probability that the test fires on two samples of one kind. */
const falseAlarmRate = 0.01;

/** With fewer distinct examples on either side, the test would find nothing and normal approximations would not hold. */
const fewest = 40;

/**
 * Compares two sets of texts; undefined if there are fewer than 40 distinct texts on either side. Lengths are compared by ranks. For words
 * and labels, each half of the examples is scored by log-odds learnt on the other half, so that scores are independent of the side
 * under the null hypothesis. The three p-values are combined by Bonferroni, half of the false-alarm rate for lengths.
 */
export function compareKinds(members: KindExamples, others: KindExamples, random: RandomSource): KindTest | undefined {
  const [inside, outside] = [distinct(members, random), distinct(others, random)];
  if (inside.length < fewest || outside.length < fewest) return undefined;
  const lengths = rankTest(inside.map(lengthOf), outside.map(lengthOf));
  const halves = [0, 1].map((tested) => {
    const half = (rows: readonly Row[], rest: number) => rows.filter((_, place) => place % 2 === rest);
    const score = learnOdds(half(inside, 1 - tested), half(outside, 1 - tested));
    return rankTest(half(inside, tested).map(score), half(outside, tested).map(score));
  });
  const words = { auc: mean(halves.map(({ auc }) => auc)), p: 4 * Math.min(...halves.map(({ z }) => normalCdf(-z))) };
  const byLength = { auc: Math.max(lengths.auc, 1 - lengths.auc), p: 4 * normalCdf(-Math.abs(lengths.z)) };
  const pValue = Math.min(1, words.p, byLength.p);
  const longer = byLength.p < falseAlarmRate && byLength.auc > words.auc;
  const by = longer || (byLength.p < words.p && words.p >= falseAlarmRate) ? 'lengths' : 'words';
  return {
    different: pValue < falseAlarmRate,
    pValue,
    auc: by === 'lengths' ? byLength.auc : words.auc,
    by,
    tokens: { members: median(inside.map(lengthOf)), others: median(outside.map(lengthOf)) },
  };
}

/** The distinct tokens of a text and its label, as names; its length. */
interface Row {
  readonly features: readonly string[];
  readonly length: number;
}

const lengthOf = ({ length }: Row): number => length;

/** One example per text and per group, in random order: copies and relatives would count as evidence more than once. */
function distinct({ inputIds, labels, groups = [] }: KindExamples, random: RandomSource): Row[] {
  const seen = new Set<string>();
  return Array.from(permutation(random, inputIds.length)).flatMap((index) => {
    const ids = inputIds[index] as readonly number[];
    const names = [`text ${ids.join(' ')}`, ...(groups[index] === undefined ? [] : [`group ${groups[index]}`])];
    if (names.some((name) => seen.has(name))) return [];
    for (const name of names) seen.add(name);
    return [{ features: [...new Set(ids)].map(String).concat(`label ${labels[index]}`), length: ids.length }];
  });
}

/** Rates are drawn towards that of both sides by as much as this many examples: rare words tell next to nothing. */
const smoothing = 10;

/** Learns which words and labels are more frequent inside; returns the sum of log-odds (naive Bayes over what is present). */
function learnOdds(inside: readonly Row[], outside: readonly Row[]): (row: Row) => number {
  const [a, b] = [countFeatures(inside), countFeatures(outside)];
  const odds = new Map<string, number>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(name) ?? 0, b.get(name) ?? 0];
    const rate = (x / inside.length + y / outside.length) / 2;
    const smooth = (count: number, rows: readonly Row[]) => (count + smoothing * rate) / (rows.length + smoothing);
    odds.set(name, Math.log(smooth(x, inside) / smooth(y, outside)));
  }
  return ({ features }) => features.reduce((sum, name) => sum + (odds.get(name) ?? 0), 0);
}

function countFeatures(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { features } of rows) for (const name of features) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

const median = (numbers: readonly number[]): number =>
  Float64Array.from(numbers).sort()[Math.floor(numbers.length / 2)] ?? 0;

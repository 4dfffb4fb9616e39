// Which records a membership attack would name, over the repeated runs of a level, and how sure that is.
//
// Runs are not independent: a text that is easy for every model is named again and again, whether it was trained on or not. So what chance does over
// several runs is read from records that were never trained on, not multiplied up from single runs.

import type { MembershipAttack } from '../../attacks/index.js';
import { chanceOfNaming, falseAlarmRates, falseShares, namingRate, studentInterval } from '../../metrics/index.js';
import { artefactsOf } from '../trials/folder.js';
import type { Trial } from '../trials/trial.js';
import { type CandidateRanks, readRanks, type StudyRecord } from '../trials/work/ranks.js';
import type { ExposedRecord, LevelRecords, RepeatedNames } from './results.js';

/** Records listed per level. */
const listed = 20;

/** One record in the runs in which it was a member. */
interface Exposure {
  readonly record: number;
  /** The rate of false alarms at which each run would name it. */
  readonly rates: readonly number[];
  /** How likely a record that was never trained on is to be this exposed in all these runs together: at most this. */
  readonly pValue: number;
}

/** Who would be named at a level, from the trials of a membership attack there; undefined without trials. */
export async function readLevelRecords(
  { sees }: Pick<MembershipAttack, 'sees'>,
  trials: readonly Pick<Trial, 'id'>[],
  folder: string,
  all: readonly StudyRecord[],
): Promise<LevelRecords | undefined> {
  const runs = await Promise.all(trials.map(({ id }) => readRanks(artefactsOf(folder, id))));
  return recordsOf(runs, all, sees === 'losses');
}

/**
 * Summarises runs of one attack at one level. `sameCandidates` says that every run attacked the same members and others, as attacks on the models of the
 * study do; attacks with models of their own draw new ones. `all` are the records of the study; without them nobody is listed.
 */
export function recordsOf(
  runs: readonly CandidateRanks[],
  all: readonly StudyRecord[],
  sameCandidates: boolean,
): LevelRecords | undefined {
  if (runs.length === 0) return undefined;
  const rates = runs.map(ratesOf);
  const named = rates.map((own) => own.filter(isNamed).length);
  const isShared = sameCandidates || runs.length === 1;
  const exposures = isShared ? sharedExposures(runs, rates) : ownExposures(runs, rates);
  const { mean, lower, upper } = studentInterval(named);
  const sizes = runs.map(({ members }) => members.length);
  return {
    falseAlarms: namingRate,
    runs: runs.length,
    members: meanOf(sizes),
    others: Math.min(...runs.map(({ others }) => others.length)),
    named: { mean, lower: Math.max(0, lower), upper: Math.min(Math.max(...sizes), upper), values: named },
    byChance: meanOf(runs.map(({ members, others }) => members.length * chanceOfNaming(namingRate, others.length))),
    ...(isShared && { repeated: repeatedNames(runs, rates) }),
    most: mostExposed(exposures, all),
  };
}

const isNamed = (rate: number): boolean => rate <= namingRate;

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** A low rank is a high score. */
const negated = (ranks: readonly number[]): number[] => ranks.map((rank) => -rank);

const ratesOf = ({ members, others }: CandidateRanks): Float64Array =>
  falseAlarmRates(negated(members), negated(others));

/**
 * Every candidate has one rank per run, whose median is its rank over all runs. Members are then compared with others by that, as in a single run:
 * the p-value is valid however much runs depend on each other, because members and others are treated alike.
 */
function sharedExposures(runs: readonly CandidateRanks[], rates: readonly Float64Array[]): Exposure[] {
  const overRuns = (side: 'members' | 'others') =>
    (runs[0] as CandidateRanks)[side].map((_, place) => medianOf(runs.map((run) => run[side][place] as number)));
  const pValues = falseAlarmRates(negated(overRuns('members')), negated(overRuns('others')));
  return (runs[0] as CandidateRanks).records.map((record, place) => ({
    record,
    rates: rates.map((own) => own[place] as number),
    pValue: pValues[place] as number,
  }));
}

/** Here candidates differ from run to run, so only the rates of a record's own runs can be combined. */
function ownExposures(runs: readonly CandidateRanks[], rates: readonly Float64Array[]): Exposure[] {
  const found = new Map<number, number[]>();
  for (const [run, { records }] of runs.entries()) {
    for (const [place, record] of records.entries()) {
      const rate = rates[run]?.[place] as number;
      found.set(record, [...(found.get(record) ?? []), rate]);
    }
  }
  return [...found].map(([record, own]) => ({ record, rates: own, pValue: combinedPValue(own) }));
}

/** Of m p-values that may depend on each other in any way, m/k times the k-th smallest is a p-value (Rüschendorf 1982); k is just above m/2. */
export function combinedPValue(pValues: readonly number[]): number {
  const k = Math.floor(pValues.length / 2) + 1;
  const kth = pValues.toSorted((a, b) => a - b)[k - 1] as number;
  return Math.min(1, (kth * pValues.length) / k);
}

/** How many members and others were named in so many runs or more. Each other is compared with the rest of the others. */
function repeatedNames(runs: readonly CandidateRanks[], rates: readonly Float64Array[]): RepeatedNames[] {
  const ofOthers = runs.map(({ others }) => ratesAmong(others));
  const count = (all: readonly ArrayLike<number>[], least: number) =>
    Array.from(all[0] ?? []).filter((_, place) => all.filter((own) => isNamed(own[place] as number)).length >= least)
      .length;
  return runs.map((_, run) => ({
    runs: run + 1,
    members: count(rates, run + 1),
    others: count(ofOthers, run + 1),
  }));
}

/** The rate of false alarms at which each of these would be named if it were a member and the rest were the others. */
function ratesAmong(others: readonly number[]): number[] {
  // Each counts itself among those that score at least as high.
  const inclusive = falseAlarmRates(negated(others), negated(others));
  return [...inclusive].map((rate) => (Math.round(rate * (others.length + 1)) - 1) / others.length);
}

/** The most exposed first; equally exposed ones in the order of the data. */
function mostExposed(exposures: readonly Exposure[], all: readonly StudyRecord[]): ExposedRecord[] {
  const shares = falseShares(exposures.map(({ pValue }) => pValue));
  return exposures
    .map((one, place) => ({ ...one, falseShare: shares[place] as number, rate: medianOf(one.rates) }))
    .sort((a, b) => a.pValue - b.pValue || a.rate - b.rate || a.record - b.record)
    .slice(0, listed)
    .flatMap(({ record, rates, rate, pValue, falseShare }) => {
      const known = all[record];
      if (known === undefined) return [];
      const named = rates.filter(isNamed).length;
      return [{ ...known, named, runs: rates.length, rate, byChance: exposures.length * pValue, falseShare }];
    });
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

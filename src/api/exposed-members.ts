// Which members an attack would name, in the reports of attacks on single models.

import type { CandidateResult } from '../attacks/index.js';
import { check } from '../checks/index.js';
import type { RowNumber } from '../data/index.js';
import { chanceOfNaming, falseAlarmRates, namingRate } from '../metrics/index.js';

/** A member, by where it stands in the data: private. */
export interface ExposedMember extends RowNumber {
  /** The rate of false alarms at which it would be named: (1 + others that score at least as high)/(1 + others). */
  readonly rate: number;
  /** Whether that is at most 1 %. */
  readonly named: boolean;
}

/** Who would be named if the attacker accepted few false alarms. */
export interface ExposedMembers {
  /** The rate of false alarms that is accepted, .01. */
  readonly falseAlarms: number;
  /** How many members would be named; null with fewer than 99 others, with which nobody can be. */
  readonly named: number | null;
  /** How many would be by chance alone, if scores have no ties. */
  readonly byChance: number;
  /** The most exposed members first: private. */
  readonly most: readonly ExposedMember[];
}

/** How many members a report lists unless it is asked for another number. */
export const usualListed = 20;

/** Throws an ArgumentError unless so many members can be listed. */
export const expectListed = (records: number): void =>
  check(
    { records },
    'a whole number from 0 on, or Infinity for all',
    (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 0),
  );

/** Lists the members of an attack by how exposed they are; `rows` says where they stand in the data. */
export function exposedMembers(
  rows: readonly RowNumber[],
  { members, others }: CandidateResult['ranks'],
  listed: number,
): ExposedMembers {
  const rates = falseAlarmRates(
    Array.from(members, (rank) => -rank),
    Array.from(others, (rank) => -rank),
  );
  const all = rows.map((row, place): ExposedMember => {
    const rate = rates[place] as number;
    return { ...row, rate, named: rate <= namingRate };
  });
  const chance = chanceOfNaming(namingRate, others.length);
  return {
    falseAlarms: namingRate,
    named: chance === 0 ? null : all.filter(({ named }) => named).length,
    byChance: members.length * chance,
    // Equally exposed members stay in the order of the data.
    most: all.toSorted((a, b) => a.rate - b.rate).slice(0, listed),
  };
}

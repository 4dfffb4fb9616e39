// What every mechanism carries: how to release, the event for the accountant, and its statement.

import { ArgumentError, check } from '../checks/index.js';
import type { Neighbours, PrivacyEvent } from '../privacy/index.js';
import type { RandomSource } from '../random/index.js';

/** Which inputs the guarantee compares: neighbours, those for which the sensitivity given holds, or any two by their distance. */
export type Compared = Neighbours | 'those of its sensitivity' | 'euclidean distance';

export interface MechanismStatement {
  readonly releases: string;
  /** In words, what `neighbours` of the mechanism says to code. */
  readonly neighbours: string;
  readonly formula: string;
  readonly reference: string;
  /** `as published`: the claim of the paper, which does not hold as written; `sound` then says what does. */
  readonly status: 'proved' | 'as published';
  readonly sound?: string;
}

export interface Mechanism<In, Out> {
  readonly statement: MechanismStatement;
  readonly neighbours: Compared;
  /** What truly holds, also for `as published`: a claim that does not hold is in the statement only. */
  readonly event: PrivacyEvent;
  readonly release: (source: RandomSource, input: In) => Out;
}

export type VectorMechanism = Mechanism<Float64Array, Float64Array>;

export function checkVector(input: Float64Array, dimension?: number): void {
  check({ 'length of the input': input.length }, `${dimension ?? 'at least 1'}`, (length) =>
    dimension === undefined ? length >= 1 : length === dimension,
  );
  const bad = input.findIndex((number) => !Number.isFinite(number));
  if (bad !== -1) throw new ArgumentError(`invalid input: expected finite numbers, got ${input[bad]} at ${bad}`);
}

// The interface of mechanisms: how to release, the event for the accountant, and a statement for people.

import { ArgumentError, check } from '../checks/index.js';
import type { Neighbours, PrivacyEvent } from '../privacy/index.js';
import type { RandomSource } from '../random/index.js';

/** Which inputs a guarantee compares: neighbours, inputs for which the given sensitivity holds, or any two by their distance. */
export type Compared = Neighbours | 'those of its sensitivity' | 'euclidean distance';

/** A mechanism's privacy statement in words, under fixed headings. */
export interface MechanismStatement {
  /** What is released. */
  readonly releases: string;
  /** The mechanism's `neighbours` in words. */
  readonly neighbours: string;
  readonly formula: string;
  readonly reference: string;
  /** `as published` is a paper's claim that does not hold as written; `sound` then says what does. */
  readonly status: 'proved' | 'as published';
  readonly sound?: string;
}

/** Releases something about its input with noise, and says what that costs. */
export interface Mechanism<In, Out> {
  readonly statement: MechanismStatement;
  readonly neighbours: Compared;
  /** The event for an accountant: always what holds, also for a mechanism `as published`. */
  readonly event: PrivacyEvent;
  /** Draws fresh noise from the source on every call. */
  readonly release: (source: RandomSource, input: In) => Out;
}

/** A mechanism on vectors of finite numbers. The output has the length of the input. */
export type VectorMechanism = Mechanism<Float64Array, Float64Array>;

export function checkVector(input: Float64Array, dimension?: number): void {
  check({ 'length of the input': input.length }, `${dimension ?? 'at least 1'}`, (length) =>
    dimension === undefined ? length >= 1 : length === dimension,
  );
  const bad = input.findIndex((number) => !Number.isFinite(number));
  if (bad !== -1) throw new ArgumentError(`invalid input: expected finite numbers, got ${input[bad]} at ${bad}`);
}

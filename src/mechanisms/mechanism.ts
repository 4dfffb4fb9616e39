// What every mechanism carries: how to release, the event for the accountant, and its statement.

import type { PrivacyEvent } from '../privacy/index.js';
import type { RandomSource } from '../random/index.js';

export interface MechanismStatement {
  readonly releases: string;
  /** Between which data sets, or over which metric. */
  readonly neighbours: string;
  readonly formula: string;
  readonly reference: string;
  /** `as published`: the claim of the paper, which does not hold as written; `sound` then says what does. */
  readonly status: 'proved' | 'as published';
  readonly sound?: string;
}

export interface Mechanism<In, Out> {
  readonly statement: MechanismStatement;
  readonly event: PrivacyEvent;
  readonly release: (source: RandomSource, input: In) => Out;
}

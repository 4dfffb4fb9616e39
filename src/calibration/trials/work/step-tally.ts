// Figures of a training trial over its steps, as sums: the checkpoint holds them, so a resumed trial counts every step once. Examples are
// counted at every step; cosines and norms are means over the steps whose release was compared with its sum.

import { mechanismOf, type Plan } from '../../../mechanisms/index.js';
import type { PrivateStepReport, Tally } from '../../../training/index.js';
import type { Measurement } from '../store.js';

export interface StepTally extends Tally {
  /** The measurements of all steps so far. */
  readonly figures: (plan: Plan) => readonly (readonly [Measurement['name'], number])[];
}

export function makeStepTally(): StepTally {
  const sums = {
    observed: 0,
    members: 0,
    undirected: 0,
    cosineToSum: 0,
    cosineToGradient: 0,
    expectedCosine: 0,
    withExpectedCosine: 0,
    squaredSumNorm: 0,
  };
  return {
    sums,
    add: ({ members, zero, nonFinite, diagnostics }: PrivateStepReport) => {
      sums.members += members;
      sums.undirected += zero + nonFinite;
      if (diagnostics === undefined) return;
      const { cosineToSum, cosineToGradient, expectedCosine, sumNorm } = diagnostics;
      sums.observed += 1;
      sums.cosineToSum += cosineToSum;
      sums.cosineToGradient += cosineToGradient;
      sums.expectedCosine += expectedCosine ?? 0;
      sums.withExpectedCosine += expectedCosine === undefined ? 0 : 1;
      sums.squaredSumNorm += sumNorm ** 2;
    },
    figures: ({ mechanism }) => {
      const { observed } = sums;
      if (observed === 0) throw new Error('a trial needs the diagnostics of some of its steps');
      return [
        ['cosineToSum', sums.cosineToSum / observed],
        ['cosineToGradient', sums.cosineToGradient / observed],
        ...(sums.withExpectedCosine === observed ? [['expectedCosine', sums.expectedCosine / observed] as const] : []),
        ['sumNorm', Math.sqrt(sums.squaredSumNorm / observed)],
        ...(mechanismOf(mechanism).drawsUniform ? drawsOf(sums) : []),
      ];
    },
  };
}

/** How many examples in batches had no direction, so that a uniform one took its place, and how many there were in all. */
const drawsOf = ({ undirected, members }: { readonly undirected: number; readonly members: number }) =>
  [
    ['uniformDraws', undirected],
    ['exampleVisits', members],
  ] as const;

// What the reference models say of each candidate, and whether there are enough of them.

import { ArgumentError } from '../../checks/index.js';
import type { ReferenceNeed } from '../attack.js';
import type { LossView, ReferenceModel } from '../view.js';

/** Numbers of the models that were trained on one candidate, and of those that were not. */
export interface CandidateReferences {
  readonly inside: readonly number[];
  readonly outside: readonly number[];
}

/** The log-odds of one candidate under each reference model, or any other number made from them. */
export function referencesAt(
  references: readonly ReferenceModel[],
  candidate: number,
  numberOf: (margin: number) => number = (margin) => margin,
): CandidateReferences {
  const [inside, outside]: [number[], number[]] = [[], []];
  for (const { margins, inside: trained } of references)
    (trained[candidate] === 1 ? inside : outside).push(numberOf(margins[candidate] as number));
  return { inside, outside };
}

/** Throws an ArgumentError if there are fewer reference models than an attack needs. */
export function expectReferences(name: string, need: ReferenceNeed, { references, losses }: LossView): void {
  if (references.length === 0) {
    throw new ArgumentError(
      `the ${name} attack compares the target with other models: expected at least one, got none`,
    );
  }
  if (need === 'none' || need === 'own') return;
  const least = { outside: { inside: 0, outside: 2 }, both: { inside: 2, outside: 2 } }[need];
  for (const candidate of losses.keys()) {
    const { inside, outside } = referencesAt(references, candidate);
    if (inside.length >= least.inside && outside.length >= least.outside) continue;
    throw new ArgumentError(
      `the ${name} attack needs ${need === 'both' ? 'two models that were trained on each candidate and two that were not' : 'two models that were not trained on each candidate'}: candidate ${candidate} has ${inside.length} and ${outside.length}`,
    );
  }
}

export const mean = (numbers: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number;
  return sum / numbers.length;
};

/** The sum of squared distances from their mean. */
export const squares = (numbers: ArrayLike<number>): number => {
  const middle = mean(numbers);
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += ((numbers[i] as number) - middle) ** 2;
  return sum;
};

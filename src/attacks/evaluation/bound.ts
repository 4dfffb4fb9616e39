// What a guarantee of training says of a membership attack: it bounds the attack only where it covers what the attack compares.

import { type Guarantee, groupPrivacy } from '../../privacy/index.js';

/** What distinguishes members from others: an example was `added` or left out, or one of the others was `replaced` by it. */
export type Comparison = 'added' | 'replaced';

/** ε and δ that hold for an attack. */
export interface MembershipBound {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * ε and δ between training with an example and training as if it were one of the others; undefined where the guarantee does not say. Replacing one
 * takes two steps of adding or removing. A guarantee for single examples says nothing of groups, whose examples come together, and an approximation
 * bounds nothing.
 */
export function boundOn(
  {
    epsilon,
    delta,
    neighbours,
    bound,
  }: Pick<Guarantee, 'epsilon' | 'delta'> & Readonly<Record<'neighbours' | 'bound', string>>,
  compared: Comparison,
  grouped: boolean,
): MembershipBound | undefined {
  if (grouped || bound === 'approximate') return undefined;
  if (neighbours === 'add-or-remove-one') {
    return compared === 'added' || !Number.isFinite(epsilon) ? { epsilon, delta } : groupPrivacy({ epsilon, delta }, 2);
  }
  return compared === 'replaced' ? { epsilon, delta } : undefined;
}

/** Whether a bound says anything: ε is finite and δ below 1. */
export const isBounded = (bound: MembershipBound | undefined): bound is MembershipBound =>
  bound !== undefined && Number.isFinite(bound.epsilon) && bound.delta < 1;

// What a client is promised that shares protected gradients of its own: a local guarantee, for every release by itself and for several rounds.

import { positiveInteger } from '../../checks/index.js';
import { accountantOf, type Guarantee, selfComposed } from '../../privacy/index.js';
import { type Protection, protectorOf } from './registry.js';

/** What the guarantee of shared gradients depends on. */
export interface SharedReleases {
  /** How many vectors are bounded and noised on their own: 1, or the number of tensors where each is protected by itself. */
  readonly vectors: number;
  /** In how many releases the same example takes part. Default: 1. */
  readonly rounds?: number;
  /** δ where the mechanism needs one. */
  readonly delta: number;
}

/**
 * The guarantee of gradients that a client shares under this protection, for replacing one of its examples by any other; undefined if nothing is
 * promised. It holds whatever model the server sends, because clipping and noise do not depend on that.
 */
export function guaranteeOfShared(
  protection: Protection,
  { vectors, rounds = 1, delta }: SharedReleases,
): Guarantee | undefined {
  positiveInteger({ vectors, rounds });
  const shared = protectorOf(protection.mechanism).eventOf?.(protection, vectors);
  if (shared === undefined) return undefined;
  const accountant = accountantOf(shared.accountant, { neighbours: 'replace-one' });
  return accountant.compose(selfComposed(rounds, shared.event)).epsilon(shared.isPure ? 0 : delta);
}

// What trials of membership attacks record of their ROC curve.

import type { MembershipBound, MembershipResult } from '../../../attacks/index.js';

export interface RocDetails extends Pick<MembershipResult, 'roc' | 'members' | 'others'> {
  /** ε and δ that bound the attack on a model of its own; absent where no guarantee does. */
  readonly bound?: MembershipBound;
  /** Whether the non-members of the study's own model were held out at random, one by one, so that any of them might have had the place of a member. */
  readonly drawnAlike?: true;
}

export const rocDetails = ({ roc, members, others }: MembershipResult): RocDetails => ({ roc, members, others });

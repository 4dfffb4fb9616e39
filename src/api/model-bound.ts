// What the guarantee of a saved model says of a membership attack on it.

import { boundOn, isBounded, type MembershipBound } from '../attacks/index.js';
import type { Model } from '../models/index.js';
import { isHubSource } from '../platform/index.js';
import type { MembershipGroups } from './membership-groups.js';
import { digestWeights, readRecord } from './privacy-record.js';

/**
 * ε and δ that bound an attack on this model; undefined unless all of it is known: a private run on this data alone, which held the others out at
 * random one by one, so that any of them might have had the place of a member.
 */
export async function boundOfModel(
  model: string | Model,
  { othersFrom, grouped, hasCopies }: Pick<MembershipGroups, 'othersFrom' | 'grouped' | 'hasCopies'>,
): Promise<MembershipBound | undefined> {
  if (typeof model !== 'string' || model.startsWith('bundled:') || isHubSource(model) || othersFrom !== 'held-out')
    return undefined;
  // A file that is no record of ours promises nothing; the attack does not need it.
  const record = await readRecord(model).catch(() => undefined);
  if (!record?.private || record.guarantee === undefined || record.before !== undefined) return undefined;
  const bound = boundOn(record.guarantee, 'replaced', grouped || hasCopies);
  return isBounded(bound) && record.weights === (await digestWeights(model)) ? bound : undefined;
}

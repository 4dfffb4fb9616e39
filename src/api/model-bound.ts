// What the guarantee of a saved model says of a membership attack on it.

import { join } from 'node:path';
import { boundOn, isBounded, type MembershipBound } from '../attacks/index.js';
import { FileError } from '../checks/index.js';
import type { Model } from '../models/index.js';
import { isHubSource } from '../platform/index.js';
import type { Guarantee } from '../privacy/index.js';
import type { MembershipGroups } from './membership-groups.js';
import { digestWeights, type PrivacyRecord, readRecord } from './privacy-record.js';
import { planIn } from './verify-evidence.js';

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
  // The plan counts as well: an ε that was edited must not draw a lower line.
  const planned = plannedBy(record, model);
  if (planned === undefined) return undefined;
  const guarantee = planned.epsilon > record.guarantee.epsilon ? planned : record.guarantee;
  const bound = boundOn(guarantee, 'replaced', grouped || hasCopies);
  return isBounded(bound) && record.weights === (await digestWeights(model)) ? bound : undefined;
}

/** The guarantee of the plan in a record; undefined if the plan was changed. */
function plannedBy(record: PrivacyRecord, model: string): Guarantee | undefined {
  try {
    return planIn(record, join(model, 'privacy.json'), 'record').guarantee;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

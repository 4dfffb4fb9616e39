// The examples that a run holds out before training, so that a membership attack has non-members of the same draw.

import { ArgumentError, option, say } from '../checks/index.js';
import { type DataSet, type Example, type HeldOut, holdOut, pick } from '../data/index.js';

/** What a run held out of the split train, and how to find the same examples again. */
export interface HoldOutRecord {
  /** The share that was asked for; 0 if nothing was held out. */
  readonly share: number;
  /** The seed that chose the examples: that of the run. */
  readonly seed: number;
  /** Examples of the split train before anything was held out. */
  readonly examples: number;
  /** How many were held out. */
  readonly heldOut: number;
  /** How many were neither trained on nor held out: their group is held out, but their text is trained on. */
  readonly omitted: number;
  /** Whether the share is the default for data that has nothing else to score on. */
  readonly byDefault: boolean;
  /** Whether the held-out examples are the split validation of this run. */
  readonly asValidation: boolean;
}

/** A data set whose split train lacks what is held out. */
interface WithHeldOut {
  readonly dataSet: DataSet;
  readonly record: HoldOutRecord;
}

/** The share that is held out where the data has nothing to score on. */
const usualShare = 0.1;

/** Holds out this share of the split train; without a share, a tenth of data that has neither validation nor test labels. */
export function holdOutOf(dataSet: DataSet, wanted: number | undefined, seed: number): WithHeldOut {
  const { train = [], ...others } = dataSet.splits;
  const byDefault = wanted === undefined;
  // Data without labels is refused later, with the reason.
  const needed = isLabelled(train) && !Object.values(others).some(isLabelled);
  const share = wanted ?? (needed ? usualShare : 0);
  const { trained, heldOut, omitted } = holdOut(train, { share, seed });
  expectBoth(dataSet.name, { share, trained, heldOut, byDefault });
  const asValidation = heldOut.length > 0 && !isLabelled(others.validation);
  const splits = {
    ...dataSet.splits,
    ...(heldOut.length + omitted.length > 0 && { train: pick(train, trained) }),
    ...(asValidation && { validation: pick(train, heldOut) }),
  };
  const counts = { examples: train.length, heldOut: heldOut.length, omitted: omitted.length };
  return { dataSet: { ...dataSet, splits }, record: { share, seed, ...counts, byDefault, asValidation } };
}

const isLabelled = (examples: readonly Example[] | undefined): boolean =>
  examples?.every(({ label }) => label !== undefined) ?? false;

/** By default, a handful of examples may all be trained on; a share that was asked for must not be in vain. */
function expectBoth(
  name: string,
  sides: Pick<HeldOut, 'trained' | 'heldOut'> & { readonly share: number; readonly byDefault: boolean },
): void {
  const { share, trained, heldOut, byDefault } = sides;
  const none = heldOut.length === 0 && !byDefault;
  if (share === 0 || (!none && trained.length > 0) || trained.length + heldOut.length === 0) return;
  throw new ArgumentError(
    say`${name}: ${option('holdOut')} ${share} would hold out ${heldOut.length} of ${trained.length + heldOut.length} examples: choose another share or seed, or 0 to train on all`,
  );
}

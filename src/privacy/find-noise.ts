// The noise for a target ε by any accountant, slow ones included: a quick accountant says about where to look.

import { ArgumentError } from '../checks/index.js';
import type { AccountantName } from './accountant.js';
import { type AccountantChoice, accountantOf } from './accountants.js';
import { type Calibration, calibrateNoise } from './calibrate.js';

/** How near the noise is to the least that is enough, relative to it: far below what any run could notice. */
export const noiseTolerance = 1e-5;

export interface NoiseSearch extends Pick<Calibration, 'eventFor' | 'target'> {
  readonly accountant: AccountantName;
  readonly options?: AccountantChoice;
}

/** The least noise, within `noiseTolerance` and never below, whose ε by this accountant does not exceed the target. */
export function findNoise({ accountant, options = {}, eventFor, target }: NoiseSearch): number {
  const makeAccountant = () => accountantOf(accountant, options);
  const start = guess({ eventFor, target }, options);
  return calibrateNoise({ makeAccountant, eventFor, target, ...(start && { start }), tolerance: noiseTolerance })
    .parameter;
}

/** Rényi bounds take milliseconds and ask for a little too much noise: from there the search need not go far. */
function guess(search: Pick<Calibration, 'eventFor' | 'target'>, options: AccountantChoice): number | undefined {
  try {
    return calibrateNoise({ ...search, makeAccountant: () => accountantOf('rdp', options) }).parameter;
  } catch (error) {
    // They have a floor that a small ε may lie below; the accountant asked for may have none.
    if (error instanceof ArgumentError) return undefined;
    throw error;
  }
}

// All accountants by name: the one list for plans, the command line and docs.

import { ArgumentError, option, say } from '../checks/index.js';
import type { Accountant, AccountantName } from './accountant.js';
import { advancedAccountant, basicAccountant } from './composition-accountants.js';
import { gdpAccountant } from './gdp-accountant.js';
import { metricAccountant } from './metric-accountant.js';
import { momentsAccountant } from './moments-accountant.js';
import { pldAccountant } from './pld-accountant.js';
import { type RdpOptions, rdpAccountant } from './rdp-accountant.js';
import { zcdpAccountant } from './zcdp-accountant.js';

/** The options of all accountants, and `orders`, which only the Rényi accountant reads. */
export type AccountantChoice = RdpOptions;

const makers: Readonly<Record<AccountantName, (options: AccountantChoice) => Accountant>> = {
  basic: basicAccountant,
  advanced: advancedAccountant,
  moments: momentsAccountant,
  zcdp: zcdpAccountant,
  rdp: rdpAccountant,
  pld: pldAccountant,
  gdp: gdpAccountant,
  // Its events compare any two records, so it has no choice of neighbours.
  metric: () => metricAccountant(),
};

/** The names of all accountants. */
export const accountantNames = Object.freeze(Object.keys(makers)) as readonly AccountantName[];

/** Makes an accountant by name. Throws, listing the names, if there is none. */
export function accountantOf(name: AccountantName, options: AccountantChoice = {}): Accountant {
  if (!Object.hasOwn(makers, name)) {
    throw new ArgumentError(say`invalid ${option('accountant')}: expected ${accountantNames.join(', ')}, got ${name}`);
  }
  return makers[name](options);
}

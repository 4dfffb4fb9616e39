// Accountants by name, for the neighbours that a plan has.

import { ArgumentError } from '../checks/index.js';
import {
  type Accountant,
  type AccountantName,
  advancedAccountant,
  basicAccountant,
  gdpAccountant,
  metricAccountant,
  momentsAccountant,
  type Neighbours,
  pldAccountant,
  rdpAccountant,
  zcdpAccountant,
} from '../privacy/index.js';

const makers: Readonly<Record<AccountantName, (neighbours: Neighbours) => Accountant>> = {
  basic: (neighbours) => basicAccountant({ neighbours }),
  advanced: (neighbours) => advancedAccountant({ neighbours }),
  moments: (neighbours) => momentsAccountant({ neighbours }),
  zcdp: (neighbours) => zcdpAccountant({ neighbours }),
  rdp: (neighbours) => rdpAccountant({ neighbours }),
  pld: (neighbours) => pldAccountant({ neighbours }),
  gdp: (neighbours) => gdpAccountant({ neighbours }),
  metric: () => metricAccountant(),
};

export function accountantOf(name: AccountantName, neighbours: Neighbours): Accountant {
  if (!Object.hasOwn(makers, name)) {
    throw new ArgumentError(`invalid accountant: expected ${Object.keys(makers).join(', ')}, got ${name}`);
  }
  return makers[name](neighbours);
}

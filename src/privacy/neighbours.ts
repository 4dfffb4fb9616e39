// Which data sets are neighbours. Most events hold for the neighbours under which their sensitivity was measured; some compare
// two values of one record, which only makes sense when a record is replaced.

import type { InnermostEvent } from './releases.js';

/** Which data sets a guarantee compares: with and without one record, or with one record replaced by another. */
export type Neighbours = 'add-or-remove-one' | 'replace-one';

/** Every kind of event declares its neighbours. */
const declared: Readonly<Record<InnermostEvent['kind'], Neighbours | 'those of its sensitivity'>> = {
  gaussian: 'those of its sensitivity',
  laplace: 'those of its sensitivity',
  pureEpsilon: 'those of its sensitivity',
  approximate: 'those of its sensitivity',
  // One answer per record: without the record there is no answer to compare with.
  randomizedResponse: 'replace-one',
  // A distance between two records.
  metric: 'replace-one',
};

/** Why an event cannot be counted for these neighbours; undefined when it can. */
export function refuseNeighbours({ kind }: InnermostEvent, neighbours: Neighbours): string | undefined {
  const own = declared[kind];
  if (own === neighbours || own === 'those of its sensitivity') return undefined;
  return `its neighbours are ${own}, those of this accountant ${neighbours}`;
}

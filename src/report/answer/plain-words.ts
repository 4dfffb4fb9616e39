// Words in place of symbols, for the first page of a report.

import type { StatedEpsilon, StudyResults } from '../../calibration/index.js';
import { typesetNumber, writeNoise } from '../numbers.js';
import { changeName, mechanismOf } from '../words.js';

/** “a privacy budget (epsilon) of 8, for replacing one example, delta 10⁻⁴”. */
export const plainEpsilon = ({ epsilon, delta, neighbours, bound }: StatedEpsilon): string => {
  if (!Number.isFinite(epsilon)) return 'no finite privacy budget (epsilon)';
  const side = bound === 'approximate' ? 'near' : 'up';
  const terms = [`for ${changeName(neighbours)}`, ...(delta > 0 ? [`delta ${typesetNumber(delta, 2, side)}`] : [])];
  return `a privacy budget (epsilon) of ${typesetNumber(epsilon, 3, side)}, ${terms.join(', ')}`;
};

/** “noise multiplier 0.1”. */
export const parameterPhrase = (results: Pick<StudyResults, 'mechanisms'>, mechanism: string, value: number): string =>
  `${mechanismOf(results, mechanism).parameter}\u00a0${writeNoise(value)}`;

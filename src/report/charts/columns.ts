// Columns that the rows of several charts have.

import type { Estimate, Level, StudyResults } from '../../calibration/index.js';
import { mechanismOf, placeOf } from '../words.js';
import type { CsvRow } from './csv.js';

/** The name of the parameter in ASCII; empty without noise. */
export const levelColumns = (results: StudyResults, { mechanism, parameter }: Level): CsvRow => ({
  mechanism,
  parameter: placeOf(results, mechanism) === undefined ? '' : mechanismOf(results, mechanism).ascii,
  noise: parameter,
});

export const estimateColumns = (prefix: string, { mean, lower, upper, values }: Estimate): CsvRow => ({
  [`${prefix}mean`]: mean,
  [`${prefix}lower`]: lower,
  [`${prefix}upper`]: upper,
  [`${prefix}count`]: values.length,
});

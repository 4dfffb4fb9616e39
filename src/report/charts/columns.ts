// Columns that several charts have in common.

import type { Estimate, Level, StudyResults } from '../../calibration/index.js';
import { mechanismOf, placeOf } from '../words.js';
import type { CsvRow } from './csv.js';

/** Mechanism and level; parameter names are in ASCII, and empty without noise. */
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

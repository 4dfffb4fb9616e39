// All charts of a study: what they show as rows, and drawn.

import type { StudyResults } from '../../calibration/index.js';
import { leakageCharts, utilityCharts } from './against-noise.js';
import { cosineCharts, tradeOffCharts } from './pairs.js';

export interface Chart {
  /** For its file. */
  readonly name: string;
  readonly kind: 'utility' | 'leakage' | 'cosine' | 'trade-off';
  readonly attack?: string;
  readonly svg: string;
  readonly csv: string;
}

export function chartsOf(results: StudyResults): Chart[] {
  return [...utilityCharts(results), ...leakageCharts(results), ...cosineCharts(results), ...tradeOffCharts(results)];
}

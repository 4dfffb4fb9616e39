// All charts of a study, as drawings and as rows.

import type { StudyResults } from '../../calibration/index.js';
import { leakageCharts, utilityCharts } from './against-noise.js';
import { cosineCharts, tradeOffCharts } from './pairs.js';
import { releaseCharts } from './release-charts.js';
import { reliabilityCharts } from './reliability-charts.js';
import { rocCharts } from './roc-charts.js';

export interface Chart {
  /** Name of its file, without an extension. */
  readonly name: string;
  readonly kind: 'utility' | 'leakage' | 'cosine' | 'trade-off' | 'release' | 'release-cosine' | 'reliability' | 'roc';
  readonly attack?: string;
  readonly svg: string;
  readonly csv: string;
}

export function chartsOf(results: StudyResults): Chart[] {
  return [
    ...utilityCharts(results),
    ...leakageCharts(results),
    ...rocCharts(results),
    ...cosineCharts(results),
    ...tradeOffCharts(results),
    ...releaseCharts(results),
    ...reliabilityCharts(results),
  ];
}

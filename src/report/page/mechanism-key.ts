// The coloured shape that stands for a mechanism wherever it is named; by its place in the study, as in charts.

import type { StudyResults } from '../../calibration/index.js';
import { styleIndex } from '../charts/chart-style.js';
import { placeOf } from '../words.js';
import { type Html, html } from './html.js';

export function mechanismKey(results: StudyResults, mechanism: string): Html {
  const place = placeOf(results, mechanism);
  return html`<span class="key${place === undefined ? '' : ` mechanism-${styleIndex(place)}`}"></span>`;
}

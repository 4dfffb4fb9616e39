// The coloured shape that marks a mechanism wherever it is named, by its place in the study, as in charts.

import type { StudyResults } from '../../calibration/index.js';
import { mechanismSymbols, styleIndex } from '../charts/chart-style.js';
import { placeOf } from '../words.js';
import { type Html, html } from './html.js';

export function mechanismKey(results: StudyResults, mechanism: string): Html {
  const place = placeOf(results, mechanism);
  if (place === undefined) return html`<span class="key"></span>`;
  const { colour, symbol } = styleIndex(place);
  return html`<span class="key mechanism-${colour} ${mechanismSymbols[symbol]}"></span>`;
}

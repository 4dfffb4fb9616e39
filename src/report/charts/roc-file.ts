// The ROC curves of attacks on one model as a file of its own.

import type { RocRates } from '../../metrics/index.js';
import { capital } from '../words.js';
import { styleOf } from './chart-style.js';
import { boundName, rocChart } from './roc-chart.js';
import { drawSvg, svgFile } from './svg.js';

/** ROC curves of one target, and what its guarantee allows. */
export interface RocDrawing {
  readonly title: string;
  /** The most important first: each has a colour, and there are four. The last of several, to compare the others with, is wide and faint. */
  readonly curves: readonly { readonly name: string; readonly points: readonly RocRates[] }[];
  /** The guarantee with its curve, `membershipBound` of `epsilens/privacy`. Default: none. */
  readonly bound?: { readonly epsilon: number; readonly delta: number; readonly points: readonly RocRates[] };
  /** Numbers of members and non-members, which decide the lowest rates that are shown. */
  readonly members: number;
  readonly others: number;
}

/** Draws ROC curves with logarithmic axes, guessing, and the most true positives that a guarantee allows. Returns SVG. */
export function drawRoc({ title, curves, bound, members, others }: RocDrawing): string {
  // Some attacks rank as the loss does. As a wide, faint line below them it shows there too.
  const lines = curves.map(({ name, points }, place) => ({
    words: name,
    points,
    colour: styleOf(place).colour,
    ...(place > 0 && place === curves.length - 1 && { width: 5, opacity: 0.45 }),
  }));
  const allowed = bound && {
    words: boundName(bound),
    points: bound.points,
    colour: styleOf(undefined).colour,
    isBound: true,
  };
  return svgFile(
    drawSvg(rocChart({ title: capital(title), lines: [...lines, ...(allowed ? [allowed] : [])], members, others })),
  );
}

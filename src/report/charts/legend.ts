// The legend in the margin above a chart: shape and name, in as many rows as the names need.

import { chartWidth, styleOf } from './chart-style.js';
import { dot, text } from './plot.js';

export interface LegendEntry {
  /** The mechanism's place in the study; absent without noise. */
  readonly place: number | undefined;
  readonly words: string;
}

export const rowHeight = 24;

/** Approximate width of a letter at 12.5 pixels, and the width of shape and space beside the words. */
const [letter, beside] = [6.6, 30];

type Placed<Entry> = Entry & { readonly left: number; readonly row: number };

/** Places entries in rows; `space` is the width of what stands beside the words. */
export function arrange<Entry extends { readonly words: string }>(
  entries: readonly Entry[],
  space = beside,
): Placed<Entry>[] {
  let [left, row] = [0, 0];
  return entries.map((entry) => {
    const width = space + entry.words.length * letter;
    if (left > 0 && left + width > chartWidth) [left, row] = [0, row + 1];
    const placed = { ...entry, left, row };
    left += width;
    return placed;
  });
}

export const legendRows = (entries: readonly { readonly words: string }[], space = beside): number =>
  (arrange(entries, space).at(-1)?.row ?? 0) + 1;

/** The last row is just above the frame. */
export function legend(entries: readonly LegendEntry[]) {
  const rows = legendRows(entries);
  return arrange(entries).flatMap(({ place, words, left, row }) => {
    const { colour, symbol } = styleOf(place);
    const dy = -26 - rowHeight * (rows - 1 - row);
    const at = { frameAnchor: 'top-left', dx: left - 44 } as const;
    return [
      dot([words], { ...at, dy, symbol, fill: colour, r: 5 }),
      text([words], { ...at, dx: left - 34, dy: dy - 6, textAnchor: 'start', fontSize: 12.5 }),
    ];
  });
}

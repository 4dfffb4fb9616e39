// The legend of a chart of lines, in the margin above it: a piece of each line and its name.

import { arrange, legendRows, rowHeight } from './legend.js';
import { text, vector } from './plot.js';

/** How a line is drawn. */
export interface LineStyle {
  readonly stroke: string;
  readonly strokeWidth: number;
  readonly strokeOpacity: number;
  /** Absent: solid. */
  readonly strokeDasharray?: string;
}

interface LineEntry {
  readonly words: string;
  readonly style: LineStyle;
}

const [length, gap] = [24, 6];
const space = length + gap + 16;

export const legendHeight = (entries: readonly LineEntry[]): number => rowHeight * legendRows(entries, space);

/** A plain line, where Plot draws an arrow. */
const piece = {
  draw: (context: { moveTo(x: number, y: number): void; lineTo(x: number, y: number): void }, size: number) => {
    context.moveTo(0, 0);
    context.lineTo(0, -size);
  },
};

/** The last row is just above the frame; `left` is the width of the margin beside it. */
export function lineLegend(entries: readonly LineEntry[], left: number) {
  const placed = arrange(entries, space);
  const rows = placed.at(-1)?.row ?? 0;
  return placed.flatMap(({ words, style, left: from, row }) => {
    const at = { frameAnchor: 'top-left', dy: -14 - rowHeight * (rows - row) } as const;
    return [
      vector([words], { ...at, ...style, dx: from - left, length, rotate: 90, anchor: 'start', shape: piece }),
      text([words], {
        ...at,
        dx: from - left + length + gap,
        textAnchor: 'start',
        lineAnchor: 'middle',
        fontSize: 12.5,
      }),
    ];
  });
}

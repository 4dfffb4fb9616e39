// Small charts of blocks: one column per level, from the floor to the highest value.

import {
  type AboutMechanism,
  type Curve,
  isOnCurve,
  type Level,
  leakageCurve,
  measuredAttacks,
  pointsOf,
  type StudyResults,
  sameLevel,
  utilityCurve,
} from '../../calibration/index.js';
import { writeNoise, writePercent, writeScore } from '../numbers.js';
import { placeOf } from '../words.js';
import type { Paint } from './paint.js';

const blocks = '▁▂▃▄▅▆▇█';
const nameWidth = 13;

interface Row {
  readonly name: string;
  readonly curve: Curve;
  readonly write: (value: number) => string;
}

export function sparkLines(results: StudyResults, mechanism: AboutMechanism, width: number, paint: Paint): string[] {
  const rows = rowsOf(results, mechanism.name);
  if (rows.length === 0) return [];
  const levels = results.levels.map(({ level }) => level).filter((level) => isOnCurve(level, mechanism.name));
  const labels = levels.map(({ parameter }) => (parameter === undefined ? 'none' : writeNoise(parameter)));
  const notes = rows.map(({ curve, write }) => ends(curve, write));
  const room = width - nameWidth - 2 - Math.max(...notes.map((note) => note.length));
  const wanted = Math.max(...labels.map((label) => label.length)) + 1;
  const slot = Math.min(wanted, Math.floor(room / labels.length));
  const axis = (ticks: string) => paint(`  ${mechanism.symbol.padEnd(nameWidth)}${ticks}`, 'dim');
  if (slot < 1) {
    const bare = rows.map(({ name }, place) => `  ${name.padEnd(nameWidth)}${notes[place]}`);
    return [...bare, axis(rangeOf(labels))];
  }
  const place = placeOf(results, mechanism.name) ?? 0;
  const lines = rows.map(
    ({ name, curve }, row) => `  ${name.padEnd(nameWidth)}${paint(bars(curve, levels, slot), place)}${notes[row]}`,
  );
  return [...lines, axis(ticksOf(labels, slot))];
}

const rangeOf = (labels: readonly string[]): string => [...new Set([labels[0], labels.at(-1)])].join(' → ');

/** Labels below their bars: the last one always, the others where they do not run into another. Only the range if there is no room. */
function ticksOf(labels: readonly string[], slot: number): string {
  const last = labels.length - 1;
  if ((labels[0] as string).length >= last * slot) return rangeOf(labels);
  let line = '';
  for (const [place, label] of labels.entries()) {
    const start = place * slot;
    const fits = place === last || start + label.length < last * slot;
    if (fits && (line === '' || start > line.length)) line = `${line.padEnd(start)}${label}`;
  }
  return line;
}

/** Utility and each attack, where measured under noise. */
const rowsOf = (results: StudyResults, mechanism: string): Row[] =>
  [
    { name: 'accuracy', curve: utilityCurve(results, mechanism), write: (value: number) => writePercent(value) },
    ...measuredAttacks(results).map(({ name, label }) => ({
      name: label,
      curve: leakageCurve(results, name, mechanism),
      write: writeScore,
    })),
  ].filter(({ curve }) => curve.noisy.length > 0);

const bars = (curve: Curve, levels: readonly Level[], slot: number): string =>
  levels
    .map((level) => {
      const found = pointsOf(curve).find((point) => sameLevel(point.level, level));
      return (found ? block(found.value.mean, curve) : ' ').repeat(Math.max(slot - 1, 1)).padEnd(slot);
    })
    .join('');

function block(value: number, curve: Curve): string {
  const { floor } = curve;
  const top = Math.max(...pointsOf(curve).map((point) => point.value.mean));
  const share = top > floor ? (value - floor) / (top - floor) : 0;
  return blocks[Math.round(Math.min(Math.max(share, 0), 1) * (blocks.length - 1))] as string;
}

/** First and last value, and the floor in brackets. */
function ends({ clean, noisy, floor }: Curve, write: (value: number) => string): string {
  const [first, last] = [clean ?? noisy[0], noisy.at(-1)];
  if (!first || !last) return '';
  return `${write(first.value.mean)} → ${write(last.value.mean)} (${write(floor)})`.replace(/\u00a0%(?=.*%)/g, '');
}

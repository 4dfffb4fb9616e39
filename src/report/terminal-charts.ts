// Small charts of blocks: one column for each level, from the floor to the highest value.

import type { StudyResults } from '../calibration/index.js';
import { attacksOf, type Curve, leakageCurve, utilityCurve } from './curves.js';
import { writeNoise, writePercent, writeScore } from './number.js';
import type { Paint } from './terminal.js';
import { attacks, mechanisms, type NoisyMechanism } from './words.js';

const blocks = '▁▂▃▄▅▆▇█';
const nameWidth = 13;

export function sparkLines(results: StudyResults, mechanism: NoisyMechanism, width: number, paint: Paint): string[] {
  const rows = [
    { name: 'accuracy', curve: utilityCurve(results, mechanism), write: (value: number) => writePercent(value) },
    ...attacksOf(results).map((attack) => ({
      name: attacks[attack].name,
      curve: leakageCurve(results, attack, mechanism),
      write: writeScore,
    })),
  ].filter(({ curve }) => curve.noisy.length > 0);
  const levels = [...results.levels].filter(({ level }) => level.mechanism === 'none' || level.mechanism === mechanism);
  const labels = levels.map(({ level }) => (level.parameter === undefined ? 'none' : writeNoise(level.parameter)));
  if (rows.length === 0) return [];
  const notes = rows.map(({ curve, write }) => ends(curve, write));
  const room = width - nameWidth - 2 - Math.max(...notes.map((note) => note.length));
  const wanted = Math.max(...labels.map((label) => label.length)) + 1;
  const slot = Math.min(wanted, Math.floor(room / labels.length));
  if (slot < 1) return rows.map(({ name }, place) => `  ${name.padEnd(nameWidth)}${notes[place]}`);
  const lines = rows.map(({ name, curve }, place) => {
    const bars = levels.map(({ level }) => {
      const points = curve.clean ? [curve.clean, ...curve.noisy] : curve.noisy;
      const found = points.find((point) => point.level === level);
      return (found ? block(found.value.mean, curve) : ' ').repeat(Math.max(slot - 1, 1)).padEnd(slot);
    });
    return `  ${name.padEnd(nameWidth)}${paint(bars.join(''), mechanism)}${notes[place]}`;
  });
  const axis = `${mechanisms[mechanism].symbol}`.padEnd(nameWidth);
  const ticks = labels.map((label) => label.padEnd(slot)).join('');
  return slot === wanted ? [...lines, paint(`  ${axis}${ticks}`, 'dim')] : lines;
}

function block(value: number, { clean, noisy, floor }: Curve): string {
  const top = Math.max(...[...(clean ? [clean] : []), ...noisy].map((point) => point.value.mean));
  const share = top > floor ? (value - floor) / (top - floor) : 0;
  return blocks[Math.round(Math.min(Math.max(share, 0), 1) * (blocks.length - 1))] as string;
}

/** First and last value, and the floor in brackets. */
function ends({ clean, noisy, floor }: Curve, write: (value: number) => string): string {
  const [first, last] = [clean ?? noisy[0], noisy.at(-1)];
  if (!first || !last) return '';
  return `${write(first.value.mean)} → ${write(last.value.mean)} (${write(floor)})`.replace(/\u00a0%(?=.*%)/g, '');
}

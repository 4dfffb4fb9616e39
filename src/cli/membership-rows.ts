// Rows of the tables of membership attacks: a figure with its interval, and what chance gives.

import { chanceAt, type Figure } from '../attacks/index.js';
import { hang } from './wrap.js';

export const figureHeader = `  ${'figure'.padEnd(22)}${'value'.padStart(7)}   95 % interval    by chance`;

export const figureRow = (name: string, { value, lower, upper }: Figure, chance: string): string =>
  `  ${name.padEnd(22)}${value.toFixed(3).padStart(7)}   ${lower.toFixed(3)} to ${upper.toFixed(3)}   ${chance}`;

/** A true positive rate at a false positive rate, or how many non-members it takes to measure it. */
export const rateRow = (name: string, figure: Figure | null, falsePositiveRate: number, others: number): string =>
  figure === null
    ? `  ${name.padEnd(22)}not measurable with ${others} non-members: ${Math.round(1 / falsePositiveRate).toLocaleString('en')} are needed`
    : figureRow(name, figure, chanceAt(falsePositiveRate, others).toFixed(3));

export const accuracyLines = ({ members, others }: { readonly members: number; readonly others: number }): string[] =>
  hang(
    '  ',
    `Accuracy ${(100 * members).toFixed(1)} % on members, ${(100 * others).toFixed(1)} % on others: a gap of ${(100 * (members - others)).toFixed(1)} points.`,
  );

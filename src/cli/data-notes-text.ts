// What `epsilens train` says about the data: only what is noteworthy, one line each.

import type { DataNotes } from '../training/index.js';

/** Sentences for the terminal. `isPrivate` says whether there is a guarantee whose unit matters. */
export function describeNotes(notes: DataNotes, isPrivate: boolean): string[] {
  const { skipped, unlabelled, repeated, alsoInTrain } = notes;
  const lines = [
    listed(skipped, (rows) => `Rows without text were left out: ${rows}.`),
    unlabelled.length > 0 ? `Not scored, because labels are missing: ${unlabelled.join(', ')}.` : '',
    describeCut(notes),
    describeClasses(notes),
    repeated > 0 ? `Training texts that repeat an earlier one: ${whole(repeated)}.` : '',
    listed(alsoInTrain, (rows) => `Texts that are also in train: ${rows}; scores there flatter the model.`),
    isPrivate ? describeGroups(notes) : '',
  ];
  return lines.filter((line) => line !== '');
}

function listed(counts: Readonly<Record<string, number>>, write: (rows: string) => string): string {
  const rows = Object.entries(counts).map(([split, count]) => `${whole(count)} of ${split}`);
  return rows.length === 0 ? '' : write(rows.join(', '));
}

function describeCut({ cut: { train }, rows, maxTokens }: DataNotes): string {
  if (train === undefined) return '';
  const { texts, medianLost, mostLost } = train;
  const lost = `${percent(medianLost)} of their tokens in the median, ${percent(mostLost)} at most`;
  return `Cut to ${maxTokens} tokens (--max-tokens): ${whole(texts)} of ${whole(rows.train ?? 0)} training texts, which lost ${lost}.`;
}

const shownClasses = 5;

function describeClasses({ scarceClasses }: DataNotes): string {
  if (scarceClasses.length === 0) return '';
  const shown = scarceClasses
    .slice(0, shownClasses)
    .map(({ name, rows }) => `${name} (${rows === 0 ? 'no row' : 'one row'})`);
  const more = scarceClasses.length > shownClasses ? [`${scarceClasses.length - shownClasses} more`] : [];
  return `Classes with hardly a row to train on: ${[...shown, ...more].join(', ')}.`;
}

function describeGroups({ groups }: DataNotes): string {
  if (groups === undefined || groups.largest < 2) return '';
  return `The training rows are of ${whole(groups.count)} groups, up to ${whole(groups.largest)} rows each: the guarantee is for one row, not for a group.`;
}

const whole = (number: number): string => number.toLocaleString('en');
const percent = (share: number): string => `${Math.round(100 * share)} %`;

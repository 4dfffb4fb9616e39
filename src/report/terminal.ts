// Results for the terminal: the answer, a small chart of each measure, a table.

import type { StudyResults } from '../calibration/index.js';
import { answerOf } from './answer.js';
import { mechanismsOf } from './curves.js';
import { safeText } from './safe-text.js';
import { sparkLines } from './terminal-charts.js';
import { levelTable } from './terminal-table.js';
import { attacks, capital, mechanisms, plural } from './words.js';

export interface TerminalOptions {
  /** Characters in a line, 80 unless given. */
  readonly columns?: number;
  readonly colour?: boolean;
}

export type Paint = (text: string, how: 'bold' | 'dim' | 'gaussian' | 'directional') => string;

const codes = { bold: 1, dim: 2, gaussian: 34, directional: 33 } as const;
const leastColumns = 40;

/** Ends with a line break. */
export function describeResults(results: StudyResults, { columns = 80, colour = false }: TerminalOptions = {}): string {
  const width = Math.max(columns, leastColumns);
  const paint: Paint = (text, how) => (colour ? `\x1b[${codes[how]}m${text}\x1b[0m` : text);
  const { study, model, data, failures, missing } = results;
  const answer = answerOf(results);
  const head = `${study.name}: ${model.name} on ${data.name}, ${plural(study.seeds.length, 'seed')}`;
  const paragraphs = [...answer.lead, answer.comparison, answer.membership, answer.delta].filter(Boolean);
  const charts = mechanismsOf(results).flatMap((mechanism) => {
    const lines = sparkLines(results, mechanism, width, paint);
    return lines.length > 0 ? [paint(capital(mechanisms[mechanism].name), mechanism), ...lines, ''] : [];
  });
  const lost = [
    ...(missing > 0 ? [`${plural(missing, 'trial')} still to be run: figures may change.`] : []),
    ...failures.map(({ what, error }) => `Failed: ${what}: ${error}`),
  ];
  const lines = [
    ...wrap(head, width).map((line) => paint(line, 'bold')),
    '',
    ...paragraphs.flatMap((text) => [...wrap(text, width), '']),
    ...charts,
    ...levelTable(results, width, paint),
    '',
    ...behaviourLines(results).flatMap((line) => wrap(line, width)),
    ...lost.flatMap((line) => wrap(line, width)),
    ...wrap('The noise came from seeds, so that this repeats: the models of a study are not for release.', width),
  ];
  return `${lines.map(plainSpaces).join('\n')}\n`;
}

/** One line: mechanisms are named where their verdicts differ. */
function behaviourLines({ behaviours }: StudyResults): string[] {
  const told = [...new Set(behaviours.map(({ attack }) => attack))].map((attack) => {
    const own = behaviours.filter((one) => one.attack === attack);
    const verdicts = new Set(own.map(({ verdict }) => verdict));
    const named = own.map(({ verdict, mechanism }) => `${verdict} (${mechanisms[mechanism].short})`);
    return `${attacks[attack].name} ${verdicts.size === 1 ? [...verdicts][0] : named.join(', ')}`;
  });
  return told.length > 0 ? [`Under noise: ${told.join('; ')}.`] : [];
}

const plainSpaces = (line: string): string => line.replace(/[\u00a0\u202f]/g, ' ').trimEnd();

/** Words in lines of at most this many characters; longer words are cut. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  const words = safeText(text)
    .split(/[ \n\t]/)
    .flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? []);
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

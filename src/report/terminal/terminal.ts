// Results for the terminal: the answer, a small chart of each measure, a table.

import { type StudyResults, triedMechanisms } from '../../calibration/index.js';
import { answerOf } from '../answer/answer.js';
import { attackOf, capital, mechanismOf, placeOf, plural } from '../words.js';
import { sparkLines } from './charts.js';
import { fitLines } from './fit-lines.js';
import { type Paint, paintWith } from './paint.js';
import { levelTable } from './table.js';

export interface TerminalOptions {
  /** Characters in a line, 80 unless given. */
  readonly columns?: number;
  readonly colour?: boolean;
}

const leastColumns = 40;

/** Ends with a line break. */
export function describeResults(results: StudyResults, { columns = 80, colour = false }: TerminalOptions = {}): string {
  const width = Math.max(columns, leastColumns);
  const paint = paintWith(colour);
  const { study, model, data, failures, missing } = results;
  const answer = answerOf(results);
  const head = `${study.name}: ${model.name} on ${data.name}, ${plural(study.seeds.length, 'seed')}`;
  const paragraphs = [...answer.lead, answer.comparison, answer.membership, answer.delta].filter(Boolean);
  const last = [
    ...behaviourLines(results),
    ...(missing > 0 ? [`${plural(missing, 'trial')} still to be run: figures may change.`] : []),
    ...failures.map(({ what, error }) => `Failed: ${what}: ${error}`),
    'The noise came from seeds, so that this repeats: the models of a study are not for release.',
  ];
  const lines = [
    ...fitLines(head, width).map((line) => paint(line, 'bold')),
    '',
    ...paragraphs.flatMap((text) => [...fitLines(text, width), '']),
    ...chartLines(results, width, paint),
    ...levelTable(results, width, paint),
    '',
    ...last.flatMap((line) => fitLines(line, width)),
  ];
  return `${lines.map(plainSpaces).join('\n')}\n`;
}

const chartLines = (results: StudyResults, width: number, paint: Paint): string[] =>
  triedMechanisms(results).flatMap((mechanism) => {
    const lines = sparkLines(results, mechanism, width, paint);
    const place = placeOf(results, mechanism.name) ?? 0;
    return lines.length > 0 ? [paint(capital(mechanism.label), place), ...lines, ''] : [];
  });

/** One line: mechanisms are named where their verdicts differ. */
function behaviourLines(results: StudyResults): string[] {
  const { behaviours } = results;
  const told = [...new Set(behaviours.map(({ attack }) => attack))].map((attack) => {
    const own = behaviours.filter((one) => one.attack === attack);
    const verdicts = new Set(own.map(({ verdict }) => verdict));
    const named = own.map(({ verdict, mechanism }) => `${verdict} (${mechanismOf(results, mechanism).short})`);
    return `${attackOf(results, attack).label} ${verdicts.size === 1 ? [...verdicts][0] : named.join(', ')}`;
  });
  return told.length > 0 ? [`Under noise: ${told.join('; ')}.`] : [];
}

const plainSpaces = (line: string): string => line.replace(/[\u00a0\u202f]/g, ' ').trimEnd();

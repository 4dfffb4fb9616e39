// Results for the terminal: the answer, a small chart per measure, a table.

import { type StudyResults, triedMechanisms, type Verdict } from '../../calibration/index.js';
import { answerOf } from '../answer/answer.js';
import { summaryOf } from '../answer/summary.js';
import { chosenSentences } from '../answer/tuning.js';
import { attackOf, capital, mechanismOf, notesOf, placeOf, plural } from '../words.js';
import { sparkLines } from './charts.js';
import { fitLines } from './fit-lines.js';
import { type Paint, paintWith } from './paint.js';
import { levelTable } from './table.js';

/** How the results are fitted to a terminal. */
export interface TerminalOptions {
  /** Characters per line, at least 40. Default: 80. */
  readonly columns?: number;
  /** Whether to use the terminal's colours. Default: false. */
  readonly colour?: boolean;
}

const leastColumns = 40;

/**
 * Results as text for a terminal: the answer in sentences, small charts, and a table of all levels. It shows none of the texts of
 * the data set, but errors of failed trials as they are. Ends with a line break.
 */
export function describeResults(results: StudyResults, { columns = 80, colour = false }: TerminalOptions = {}): string {
  const width = Math.max(columns, leastColumns);
  const paint = paintWith(colour);
  const { study, model, data, failures, missing } = results;
  const answer = answerOf(results);
  const head = `${study.name}: ${model.name} on ${data.name}, ${plural(study.seeds.length, 'seed')}`;
  const paragraphs = [
    ...answer.lead,
    ...chosenSentences(results),
    answer.comparison,
    answer.release,
    answer.membership,
    answer.delta,
  ].filter(Boolean);
  const last = [
    ...behaviourLines(results),
    ...results.attacks.flatMap(({ name, label }) => notesOf(results, name).map((note) => `Limit of ${label}: ${note}`)),
    ...(missing > 0 ? [`${plural(missing, 'trial')} still to be run: figures may change.`] : []),
    ...failures.map(({ what, error }) => `Failed: ${what}: ${error}`),
    'The noise came from seeds, so that the study can be repeated: its models are not for release.',
  ];
  const lines = [
    ...fitLines(head, width).map((line) => paint(line, 'bold')),
    '',
    ...summaryLines(results, width, paint),
    ...fitLines('The evidence', width).map((line) => paint(line, 'bold')),
    '',
    ...paragraphs.flatMap((text) => [...fitLines(text, width), '']),
    ...chartLines(results, width, paint),
    ...levelTable(results, width, paint),
    '',
    ...last.flatMap((line) => fitLines(line, width)),
  ];
  return `${lines.map(plainSpaces).join('\n')}\n`;
}

/** Who sees what, what came back and what to do, as on the first page of the report. What is assumed is said once. */
function summaryLines(results: StudyResults, width: number, paint: Paint): string[] {
  const { situations, missing } = summaryOf(results);
  const assumed = [...new Set(situations.flatMap(({ assumptions }) => assumptions))];
  const paragraphs = [...(assumed.length > 0 ? [`This assumes: ${assumed.join(' ')}`] : []), missing].filter(Boolean);
  return [
    ...situations.flatMap(({ heading, who, found, advice }) => [
      ...fitLines(heading, width).map((line) => paint(line, 'bold')),
      ...[who, ...found, advice].flatMap((text) => fitLines(text, width)),
      '',
    ]),
    ...paragraphs.flatMap((text) => [...fitLines(text, width), '']),
  ];
}

function chartLines(results: StudyResults, width: number, paint: Paint): string[] {
  const charts = triedMechanisms(results).flatMap((mechanism) => {
    const lines = sparkLines(results, mechanism, width, paint);
    const place = placeOf(results, mechanism.name) ?? 0;
    return lines.length > 0 ? [paint(capital(mechanism.label), place), ...lines, ''] : [];
  });
  const key = 'In brackets: the floor, which is the score when nothing was learnt or found. Bars begin there.';
  return charts.length > 0 ? [...charts, ...fitLines(key, width), ''] : [];
}

const verdicts: Readonly<Record<Verdict, string>> = {
  'well behaved': 'falls to the end (well behaved)',
  'bottoms out': 'falls, then levels off (bottoms out)',
  erratic: 'does not fall steadily (erratic)',
  flat: 'hardly moves (flat)',
};

/** One sentence. Mechanisms are named if their verdicts differ. */
function behaviourLines(results: StudyResults): string[] {
  const { behaviours } = results;
  const phrases = [...new Set(behaviours.map(({ attack }) => attack))].map((attack) => {
    const own = behaviours.filter((one) => one.attack === attack);
    const [first, ...others] = own.map(({ verdict }) => verdict) as [Verdict, ...Verdict[]];
    const named = own.map(
      ({ verdict, mechanism }) => `${verdicts[verdict]} under ${mechanismOf(results, mechanism).label}`,
    );
    const isSame = others.every((verdict) => verdict === first);
    return `${attackOf(results, attack).label} ${isSame ? verdicts[first] : named.join(', ')}`;
  });
  return phrases.length > 0 ? [`Leakage as noise grows: ${phrases.join('; ')}.`] : [];
}

const plainSpaces = (line: string): string => line.replace(/[\u00a0\u202f]/g, ' ').trimEnd();

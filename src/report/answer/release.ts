// Whether mechanisms differ by their noise or by how they bound gradients before it: utility at equal cosines of what training releases.

import {
  type EqualCosine,
  haveSameStart,
  isNoiseless,
  isOnCurve,
  type Level,
  noClearWinner,
  pairsOf,
  type StudyResults,
  triedMechanisms,
  type UtilityDifference,
} from '../../calibration/index.js';
import { typesetNumber, writePoints } from '../numbers.js';
import { capital, differenceName, levelName, list, mechanismOf } from '../words.js';

/** Two mechanisms begin at the same level without noise, so that they differ only in the noise, and another one begins elsewhere. */
export function canTellNoiseFromScaling(results: StudyResults): boolean {
  const pairs = pairsOf(triedMechanisms(results).map(({ name }) => name));
  const alike = pairs.map((pair) => haveSameStart(results.levels, pair));
  return alike.includes(true) && alike.includes(false);
}

/** What is compared, and why; for readers who want more than the finding. */
export const releaseTerms =
  'The parameter of a mechanism does not say how much noise reaches training: noise once per batch against once per example, or over more numbers, is not the same noise. The cosine between what a training step releases and its own sum before noise tells: where it is equal, the noise turns the steps of both mechanisms equally far.';

export function releaseSentences(results: StudyResults): string[] {
  if (!canTellNoiseFromScaling(results)) return [];
  const { equalCosine } = results;
  if (equalCosine.length === 0) {
    return [
      'No two mechanisms have utility at the same cosine of what training releases, so this study cannot tell the noise from the scaling.',
      ...predictionSentences(results),
    ];
  }
  return [
    ...noiseSentences(results),
    ...scalingSentences(results),
    ...predictionSentences(results),
    ...ratioSentences(results),
  ];
}

/** One sentence per pair of mechanisms that differ only in their noise. */
const noiseSentences = (results: StudyResults): string[] =>
  pairsOf(triedMechanisms(results))
    .filter(([first, second]) => haveSameStart(results.levels, [first.name, second.name]))
    .map((pair) => {
      const found = results.equalCosine.find(({ mechanisms }) => pair.every(({ name }, i) => name === mechanisms[i]));
      return found
        ? noiseSentence(results, found)
        : `${capital(list(pair.map(({ label }) => label)))} share no range of cosines, so their kinds of noise cannot be compared.`;
    });

function noiseSentence(results: StudyResults, { mechanisms, overall }: EqualCosine): string {
  const labels = list(mechanisms.map((name) => mechanismOf(results, name).label));
  const start = results.levels.find(({ level }) => isNoiseless(level) && isOnCurve(level, mechanisms[0]))?.level;
  const from = start ? ` (${levelName(results, start)})` : '';
  return `${capital(labels)} begin at the same level${from} and differ only in their noise: at an equal cosine between what a training step releases and its own sum before noise, ${differencePhrase(results, mechanisms, overall)}, ${noiseVerdict(results, overall)}.`;
}

function noiseVerdict(results: StudyResults, { interval, winner }: UtilityDifference): string {
  if (!interval) return 'which one seed cannot tell from chance';
  if (winner !== noClearWinner) {
    return `so the kind of noise is visible, and ${mechanismOf(results, winner).label} keeps more utility`;
  }
  const most = Math.max(Math.abs(interval.lower), Math.abs(interval.upper));
  return `so the kind of noise is not visible here; the interval excludes differences above ${writePoints(most)} points`;
}

/** What is left between mechanisms that begin at different levels, which bound gradients in different ways. */
function scalingSentences(results: StudyResults): string[] {
  const apart = results.equalCosine.filter(({ sameStart }) => !sameStart);
  if (apart.length === 0) return [];
  const figures = apart.map(({ mechanisms, overall }) => differencePhrase(results, mechanisms, overall));
  const clear = apart.filter(({ overall }) => overall.winner !== noClearWinner);
  const bounding = 'clipping long gradients against scaling every gradient';
  const isNoiseToo = results.equalCosine.some(
    ({ sameStart, overall }) => sameStart && overall.winner !== noClearWinner,
  );
  const rest = clear.length === apart.length ? 'What remains there' : 'What remains where the interval excludes 0';
  return [
    `Between mechanisms that begin at different levels, at an equal cosine, ${figures.join('; ')}.`,
    clear.length === 0
      ? `That cannot be told from chance or is below half a point, so what ${bounding} is worth at equal noise stays open.`
      : `${rest} is due to ${bounding}${isNoiseToo ? ', and in part to the kind of noise' : ''}.`,
  ];
}

function differencePhrase(
  results: StudyResults,
  mechanisms: EqualCosine['mechanisms'],
  { difference, interval }: UtilityDifference,
): string {
  const [first, second] = mechanisms.map((name) => mechanismOf(results, name));
  const name = first && second ? differenceName([first, second]) : '';
  const range = interval
    ? ` (95\u00a0% interval ${writePoints(interval.lower)} to ${writePoints(interval.upper)})`
    : ' (no interval)';
  return `${name} is ${writePoints(difference)} points${range}`;
}

/** How far the cosines that the size of the noise predicts lie from those measured, at most. */
function predictionSentences(results: StudyResults): string[] {
  const [worst] = results.levels
    .flatMap(({ level, utility }) => {
      const [measured, predicted] = [utility?.cosineToSum?.mean, utility?.expectedCosine?.mean];
      if (isNoiseless(level) || measured === undefined || predicted === undefined) return [];
      return [{ level, measured, predicted, apart: Math.abs(measured - predicted) }];
    })
    .toSorted((a, b) => b.apart - a.apart);
  if (worst === undefined) return [];
  const { level, measured, predicted, apart } = worst;
  return [
    `Measured cosines lie at most ${typesetNumber(apart, 1, 'up')} from those that the size of the noise predicts (${nameWithMechanism(results, level)}: ${typesetNumber(measured)} measured, ${typesetNumber(predicted)} predicted).`,
  ];
}

/** Two mechanisms may have the same symbol. */
const nameWithMechanism = (results: StudyResults, level: Level): string =>
  `${mechanismOf(results, level.mechanism).short}, ${levelName(results, level)}`;

/** How much more noise one mechanism puts on training where a shared gradient is protected equally. */
function ratioSentences(results: StudyResults): string[] {
  return results.noiseRatios.map(({ mechanisms, readings }) => {
    const [first, second] = mechanisms.map((name) => mechanismOf(results, name).label);
    const [measured, predicted] = [
      rangeOf(readings.map((one) => one.measured.mean)),
      rangeOf(readings.map((one) => one.predicted)),
    ];
    return `Where one shared gradient keeps the same cosine under both, the noise that ${second} puts on training has ${measured} times the variance of that of ${first} (predicted: ${predicted}).`;
  });
}

function rangeOf(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => typesetNumber(value, 2));
  return least === most ? `${least}` : `${least} to ${most}`;
}

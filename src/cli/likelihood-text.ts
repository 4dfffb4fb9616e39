// What `epsilens attack` prints of attacks that have a likelihood: how sure they may be, and how near they came to what can be known.

import type { ReconstructionResult } from '../attacks/index.js';
import { hang } from './wrap.js';

export const describeLikelihood = ({ certainty, search, genie }: ReconstructionResult): string[] => [
  ...(certainty ? describeCertainty(certainty) : []),
  ...(search ? ['', ...describeSearch(search)] : []),
  ...(genie ? ['', ...describeGenie(genie)] : []),
];

function describeCertainty(certainty: NonNullable<ReconstructionResult['certainty']>): string[] {
  const { share, given, right, reliability, calibrationError } = certainty;
  const range = share.count > 1 ? `, ${fixed(share.lower)} to ${fixed(share.upper)}` : '';
  const precise =
    given === 0 ? 'No token was given that much.' : `${right} of the ${given} tokens given that much are right.`;
  const rows = reliability.map(
    ({ from, to, answers, confidence, share: own, lower, upper }) =>
      `  ${`${from} to ${to}`.padEnd(14)}${`${answers}`.padStart(8)}${fixed(confidence).padStart(8)}${fixed(own).padStart(8)}   ${fixed(lower)} to ${fixed(upper)}`,
  );
  return [
    '',
    ...hang(
      '  ',
      `With certainty (confidence of 0.9 or more, and right): ${fixed(share.mean)} of the tokens${range}. ${precise}`,
    ),
    '',
    ...(rows.length === 0
      ? []
      : [
          `  ${'confidence'.padEnd(14)}${'tokens'.padStart(8)}${'mean'.padStart(8)}${'right'.padStart(8)}   95 % interval`,
          ...rows,
        ]),
    ...(calibrationError === undefined ? [] : [`  Calibration error: ${fixed(calibrationError)}`]),
  ];
}

const describeSearch = ({ failed, texts }: NonNullable<ReconstructionResult['search']>): string[] =>
  hang(
    '  ',
    failed === 0
      ? `The search failed in none of ${count(texts, 'text')}: no truth is likelier than its answer, so this likelihood and prior allow no more.`
      : `The search failed in ${failed} of ${count(texts, 'text')}: there the truth is likelier than the answer, so a better search would find more.`,
  );

const describeGenie = (genie: NonNullable<ReconstructionResult['genie']>): string[] =>
  hang(
    '  ',
    `A genie that knows every other token chose the true one at ${Number(genie.right.toFixed(1))} of ${genie.of} places: ${fixed(genie.accuracy)}, ${fixed(genie.lower)} to ${fixed(genie.upper)}; guessing gives ${fixed(genie.chance)}.`,
  );

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;

const fixed = (value: number): string => value.toFixed(3);

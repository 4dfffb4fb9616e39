// What reports say about the training that a study stands for, where that is not the study's own: both sizes, and whose ε is which.

import type { LevelGuarantee, LevelResults, PlanResults, StudyResults } from '../calibration/index.js';
import { writeCount } from './numbers.js';

type Planned = Pick<StudyResults, 'plan' | 'levels'>;

/** Whether a study stands for another training than its own, so that there are two ε. */
export const hasPlan = ({ plan }: Pick<StudyResults, 'plan'>): boolean => plan !== undefined;

/** The guarantee of the training that the study stands for, which is its own without a plan. */
export const promiseOf = ({
  planned,
  guarantee,
}: Pick<LevelResults, 'planned' | 'guarantee'>): LevelGuarantee | undefined => planned ?? guarantee;

/** Both sizes and whose ε is which, in sentences; none without a plan. */
export function planSentences({ plan, levels }: Planned): string[] {
  if (plan === undefined) return [];
  const { planned, pastLimit } = plan;
  const [examples, batchSize, epochs, steps] = [planned.examples, planned.batchSize, planned.epochs, planned.steps].map(
    writeCount,
  );
  return [
    `The training that this study stands for has ${examples} examples in batches of ${batchSize}, ${epochs} ${planned.epochs === 1 ? 'epoch' : 'epochs'} or ${steps} steps.`,
    `The models attacked here were trained on ${attackedRows(plan)}, with the same noise and batch size and ${attackedSteps(plan)}${ownEpsilon(levels)}.`,
    ...(pastLimit === undefined
      ? []
      : [
          `The features of the frozen part are kept, so the limit of ${writeCount(pastLimit)} rows was not applied to the training data.`,
        ]),
  ];
}

function attackedRows({ planned, attacked: { examples } }: PlanResults): string {
  return examples === planned.examples ? 'as many examples' : `${writeCount(examples)} examples`;
}

/** Steps are whole epochs of the rows that were trained on. */
const attackedSteps = ({ planned, attacked: { steps } }: PlanResults): string =>
  steps === planned.steps
    ? 'as many steps'
    : `${writeCount(steps)} steps (whole epochs of these examples; at least as many)`;

/** How the ε of the attacked models compares, as far as levels have both and the planned one is finite. */
function ownEpsilon(levels: StudyResults['levels']): string {
  const pairs = levels.flatMap(({ guarantee, planned }) =>
    guarantee && planned && Number.isFinite(planned.epsilon) ? [[guarantee.epsilon, planned.epsilon] as const] : [],
  );
  if (pairs.length === 0) return '';
  if (pairs.every(([own, planned]) => own === planned)) return ', so their ε is the same';
  const larger = pairs.every(([own, planned]) => own > planned) ? ', so their own ε is larger' : '';
  return `${larger}: what attacks on them reach is held against their own ε`;
}

// What the sentences of the first page assume: whose models were attacked, with which privacy budget, and whose accuracy it is.

import { type AboutAttack, readsTrainedModel, type StudyResults } from '../../calibration/index.js';
import { writeCount, writePercent } from '../numbers.js';
import { promiseOf } from '../plan-words.js';
import { capital, list } from '../words.js';

/** The assumptions of a situation with these attacks, in sentences. */
export const assumptionsOf = (results: StudyResults, attacks: readonly AboutAttack[]): string[] => [
  ...attackAssumptions(results, attacks),
  ...planAssumption(results, attacks),
  ...tuningAssumption(results, attacks),
  ...kindAssumptions(results, attacks),
];

/** Runs that were tried to choose settings read the same texts. */
const tuningAssumption = ({ study }: StudyResults, attacks: readonly AboutAttack[]): string[] =>
  study.training.tuning?.accounted === false && attacks.some(readsTrainedModel)
    ? [
        'The settings of training were chosen by runs on the same texts; the privacy budget stated here does not count these.',
      ]
    : [];

/** A study on a sample says what the noise of each step does, not what the whole training does. */
function planAssumption({ plan }: StudyResults, attacks: readonly AboutAttack[]): string[] {
  if (plan === undefined || !attacks.some(readsTrainedModel) || plan.attacked.examples >= plan.planned.examples)
    return [];
  return [
    `The attacked models were trained on ${writeCount(plan.attacked.examples)} texts, with the noise per step and the number of steps of the planned training on ${writeCount(plan.planned.examples)}: each text took part more often, so their own privacy budget is larger than that of the plan, which is the one stated here.`,
  ];
}

/** Where the texts that members are compared with are of another kind, an attack may show the kind. */
function kindAssumptions({ levels }: StudyResults, attacks: readonly AboutAttack[]): string[] {
  const different = attacks.filter(({ name }) => levels.some(({ leakage }) => leakage[name]?.kind?.different));
  if (different.length === 0) return [];
  return [
    `The texts that ${list(different.map(({ label }) => label))} compared the training texts with are of another kind (their lengths or words tell them apart without any model), so it may be right more often than guessing without any leak: hold texts out at random for a figure that counts.`,
  ];
}

function attackAssumptions(results: StudyResults, attacks: readonly AboutAttack[]): string[] {
  const own = attacks.filter(({ ownModels }) => ownModels);
  const text = attacks.filter((one) => !readsTrainedModel(one));
  return [
    ...(own.length > 0 ? [ownModelsAssumption(results, own)] : []),
    ...(text.length > 0
      ? [
          `Each attacked gradient is of ${list([...new Set(text.map(({ texts }) => (texts === 1 ? 'one text' : `${texts} texts`)))], 'or')}. ${clientAccuracy(results)}`,
        ]
      : []),
  ];
}

/** Whose accuracy is stated beside attacks on shared gradients: training may bound and noise less than what is attacked. */
function clientAccuracy({ study, data, trainable, shared }: StudyResults): string {
  const { training, sharing } = study;
  const clients = `${writeCount(Math.min(training.batchSize, data.train))} clients per step`;
  const isSame =
    trainable.selection === shared.selection && sharing.scope === 'joint' && sharing.clipNorm === training.clipNorm;
  if (isSame) {
    return `Accuracy is that of training in which every client protects its own gradient with this noise, ${clients}.`;
  }
  return `Accuracy is that of training in which every client shares only the gradient of the ${writeCount(trainable.numbers)} trained numbers, protected as one vector with this noise, ${clients}; clients that protect and share all ${writeCount(shared.numbers)} numbers that are attacked here would lose more.`;
}

/** How the privacy budget of models that attacks trained themselves compares with that of the training, at the levels where both are finite. */
function ownModelsAssumption({ levels }: StudyResults, own: readonly AboutAttack[]): string {
  const ratios = levels.flatMap((level) => {
    const stated = promiseOf(level)?.epsilon;
    return own.flatMap(({ name }) => {
      const { mean = Number.NaN } = level.leakage[name]?.measures.ownEpsilon ?? {};
      return stated !== undefined && Number.isFinite(stated) && mean > 0 ? [mean / stated] : [];
    });
  });
  const who = `${capital(list(own.map(({ label }) => label)))} attacked models of their own, trained on part of the texts with settings of their own`;
  if (ratios.length === 0) return `${who}: the privacy budget stated for this training is not theirs.`;
  if (ratios.every((ratio) => ratio >= 1)) {
    return `${who}: their privacy budget is larger than the one stated for this training.`;
  }
  const most = ratios.reduce((least, ratio) => Math.min(least, ratio), 1);
  return `${who}: at some levels their privacy budget is smaller than the one stated for this training (down to ${writePercent(most, 0)} of it), so that with the budget stated here these attacks may get more.`;
}

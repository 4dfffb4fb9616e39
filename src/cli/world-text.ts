// What is printed of attacks that compare a target with other models.

import type { WorldReport } from '../api/index.js';
import { chanceAt, type Figure, type WorldAttack } from '../attacks/index.js';
import { writeNumber } from '../privacy/index.js';
import { hang, wrap } from './wrap.js';

export function describeWorld({ words }: WorldAttack, report: WorldReport): string {
  const { members, others, auc, advantage, tprAt1, tprAt01, lossGap, decision, floor, accuracy, baseline } = report;
  const row = (name: string, { value, lower, upper }: Figure, chance: string) =>
    `  ${name.padEnd(22)}${value.toFixed(3).padStart(7)}   ${lower.toFixed(3)} to ${upper.toFixed(3)}   ${chance}`;
  const rate = (name: string, figure: Figure | null, falsePositiveRate: number) =>
    figure === null
      ? `  ${name.padEnd(22)}not measurable with ${others} non-members: ${Math.round(1 / falsePositiveRate).toLocaleString('en')} are needed`
      : row(name, figure, chanceAt(falsePositiveRate, others).toFixed(3));
  return `${[
    ...wrap(
      `${words.label} on a model trained from ${report.model} on ${report.data}: ${members} members, ${others} others of the same draw, ${report.references} other models (${splitWords[report.examples]})`,
    ),
    ...wrap(trainingWords(report)),
    '',
    `  ${'figure'.padEnd(22)}${'value'.padStart(7)}   95 % interval    by chance`,
    row('AUC', auc, `0.5 (${floor.auc.toFixed(3)} on others split)`),
    row('AUC of the loss alone', baseline, '0.5'),
    ...(decision
      ? [row('own TPR − FPR', decision.advantage, '0'), row('own balanced accuracy', decision.balancedAccuracy, '0.5')]
      : []),
    row('best TPR − FPR', advantage, `${floor.advantage.toFixed(3)} on others split in two`),
    rate('TPR at 1 % FPR', tprAt1, 0.01),
    rate('TPR at 0.1 % FPR', tprAt01, 0.001),
    row('loss gap', lossGap, '0'),
    '',
    ...hang(
      '  ',
      `Accuracy ${(100 * accuracy.members).toFixed(1)} % on members, ${(100 * accuracy.others).toFixed(1)} % on others: a gap of ${(100 * (accuracy.members - accuracy.others)).toFixed(1)} points.`,
    ),
    ...overTargets(report),
    ...guaranteeWords(report),
    ...hang('  ', `Models: ${report.models.trained} trained, ${report.models.found} found in the cache.`),
    '',
    ...hang('  ', report.verdict),
  ].join('\n')}\n`;
}

const splitWords = {
  paper: 'each on examples of its own',
  halves: 'every example in half of them',
} as const;

function trainingWords({ training }: WorldReport): string {
  const { epochs, batchSize, learningRate, trainable, mechanism, privateReferences } = training;
  const noise =
    mechanism === 'none'
      ? ''
      : `; the target with ${mechanism} noise${privateReferences ? ', and the others too' : ', the others without'}`;
  return `Training: ${epochs} epochs, batches of ${batchSize}, learning rate ${learningRate}, ${trainable}${noise}.`;
}

function overTargets({ overTargets: over, attack }: WorldReport): string[] {
  if (over === undefined) return [];
  return hang(
    '  ',
    `With ${over.count} models as the target in turn, the AUC of ${attack} is ${over.mean.toFixed(3)} (95 % interval over models ${over.lower.toFixed(3)} to ${over.upper.toFixed(3)}).`,
  );
}

function guaranteeWords({ guarantee, mostTprAt1 }: WorldReport): string[] {
  if (guarantee === undefined || mostTprAt1 === undefined) return [];
  return hang(
    '  ',
    `With secret noise, training the target would have ε = ${writeNumber(guarantee.epsilon)}, δ = ${writeNumber(guarantee.delta)} (${guarantee.neighbours}, ${guarantee.accountant} accountant): no attack could then exceed a TPR of ${mostTprAt1.toFixed(3)} at 1 % FPR. This noise came from a seed, so nothing is guaranteed.`,
  );
}

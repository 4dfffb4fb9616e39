// What is printed of attacks that compare a target with other models.

import type { ScoresReport, WorldReport } from '../api/index.js';
import type { Figure, WorldAttack } from '../attacks/index.js';
import { writeNumber } from '../privacy/index.js';
import { accuracyLines, figureHeader, figureRow, rateRow } from './membership-rows.js';
import { hang, wrap } from './wrap.js';

export function describeWorld({ words }: WorldAttack, report: WorldReport): string {
  const { members, others, auc, advantage, tprAt1, tprAt01, lossGap, decision, floor, accuracy, baseline } = report;
  return `${[
    ...wrap(
      `${words.label} on a model trained from ${report.model} on ${report.data}: ${members} members, ${others} others of the same draw, ${modelWords(report)}`,
    ),
    ...wrap(trainingWords(report)),
    '',
    figureHeader,
    figureRow('AUC', auc, `0.5 (${floor.auc.toFixed(3)} on others split)`),
    figureRow('AUC of the loss alone', baseline, '0.5'),
    ...(decision
      ? [
          figureRow('own TPR − FPR', decision.advantage, '0'),
          figureRow('own balanced accuracy', decision.balancedAccuracy, '0.5'),
        ]
      : []),
    figureRow('best TPR − FPR', advantage, `${floor.advantage.toFixed(3)} on others split in two`),
    rateRow('TPR at 1 % FPR', tprAt1, 0.01, others),
    rateRow('TPR at 0.1 % FPR', tprAt01, 0.001, others),
    figureRow('loss gap', lossGap, '0'),
    '',
    ...accuracyLines(accuracy),
    ...overTargets(report),
    ...guaranteeWords(report),
    ...hang('  ', `Models: ${report.models.trained} trained, ${report.models.found} found in the cache.`),
    '',
    ...hang('  ', report.verdict),
  ].join('\n')}\n`;
}

const modelWords = ({ references, examples }: WorldReport): string =>
  references === 0 ? 'no other models' : `${references} other models (${splitWords[examples]})`;

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

function guaranteeWords({ guarantee, mostTprAt1, examples }: WorldReport): string[] {
  if (guarantee === undefined) return [];
  const { epsilon, delta, neighbours, accountant } = guarantee;
  const replaced =
    examples === 'paper' && neighbours === 'add-or-remove-one'
      ? ' (here one example replaces another, so for twice ε)'
      : '';
  const bound =
    mostTprAt1 === undefined
      ? 'That is about single examples, and does not bound this attack, where examples of a group come together or neighbours are others.'
      : `No attack could then exceed a TPR of ${mostTprAt1.toFixed(3)} at 1 % FPR${replaced}.`;
  return hang(
    '  ',
    `With secret noise, training the target would have ε = ${writeNumber(epsilon)}, δ = ${writeNumber(delta)} (${neighbours}, ${accountant} accountant). ${bound} This noise came from a seed, so nothing is guaranteed.`,
  );
}

export function describeScoresReport({
  scores,
  members,
  others,
  references,
  results,
  skipped,
  verdict,
}: ScoresReport): string {
  const rate = (figure: Figure | null) => (figure === null ? '–' : figure.value.toFixed(3)).padStart(9);
  const models = references === 0 ? 'no other models' : `${references} other ${references === 1 ? 'model' : 'models'}`;
  return `${[
    ...wrap(`Membership by the scores of ${scores}: ${members} members, ${others} others, ${models}`),
    '',
    `  ${'attack'.padEnd(14)}${'AUC'.padStart(6)}   95 % interval    own TPR−FPR  TPR 1 %  TPR 0.1 %`,
    ...results.map(
      ({ attack, auc, decision, tprAt1, tprAt01 }) =>
        `  ${attack.padEnd(14)}${auc.value.toFixed(3).padStart(6)}   ${auc.lower.toFixed(3)} to ${auc.upper.toFixed(3)}${(decision?.advantage.value.toFixed(3) ?? '–').padStart(15)}${rate(tprAt1)}${rate(tprAt01).padStart(11)}`,
    ),
    ...(skipped.length > 0 ? [''] : []),
    ...skipped.flatMap(({ attack, reason }) => hang('  ', `${attack}: ${reason}.`)),
    '',
    ...hang('  ', `By the best of these, chosen on these examples: ${verdict}`),
    ...hang('  ', 'This holds if members and others are of one draw, which a table of scores does not show.'),
  ].join('\n')}\n`;
}

// What is printed of attacks that compare a target with other models.

import type { ScoresReport, WorldReport } from '../api/index.js';
import type { Figure, WorldAttack } from '../attacks/index.js';
import { writeNumber } from '../privacy/index.js';
import { accuracyLines, figureHeader, figureRow, rateRow } from './membership-rows.js';
import { hang, wrap } from './wrap.js';

/** What is printed; single records are not. */
type PrintedReport = Omit<WorldReport, 'records'>;

export function describeWorld({ words }: WorldAttack, report: PrintedReport): string {
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
    ...watchedWords(report),
    ...(report.notes ?? []).flatMap((note) => hang('  ', note)),
    ...controlWords(report),
    ...overTargets(report),
    ...guaranteeWords(report),
    ...hang('  ', `Models: ${report.models.trained} trained, ${report.models.found} found in the cache.`),
    '',
    ...hang('  ', report.verdict),
  ].join('\n')}\n`;
}

const modelWords = ({ references, examples }: PrintedReport): string =>
  references === 0 ? 'no other models' : `${references} other models (${splitWords[examples]})`;

const splitWords = {
  paper: 'each on examples of its own',
  halves: 'every example in half of them',
} as const;

function trainingWords({ training, references }: PrintedReport): string {
  const { epochs, batchSize, learningRate, trainable, mechanism, privateReferences } = training;
  const others = references === 0 ? '' : privateReferences ? ', and the others too' : ', the others without';
  const noise = mechanism === 'none' ? '' : `; the target with ${mechanism} noise${others}`;
  return `Training: ${epochs} epochs, batches of ${batchSize}, learning rate ${learningRate}, ${trainable}${noise}.`;
}

function controlWords({ control }: PrintedReport): string[] {
  if (control === undefined) return [];
  const { mean, least, most, models } = control;
  const range = models === 1 ? '' : ` (${least.toFixed(3)} to ${most.toFixed(3)})`;
  return hang(
    '  ',
    `Control: the losses of ${models} ${models === 1 ? 'model that was' : 'models that were'} trained on none of these examples tell the two groups apart with an AUC of ${mean.toFixed(3)}${range}. What differs from 0.5 there is due to who was drawn, not to training.`,
  );
}

function overTargets({ overTargets: over, attack }: PrintedReport): string[] {
  if (over === undefined) return [];
  return hang(
    '  ',
    `With ${over.count} models as the target in turn, the AUC of ${attack} is ${over.mean.toFixed(3)} (95 % interval over models ${over.lower.toFixed(3)} to ${over.upper.toFixed(3)}).`,
  );
}

function watchedWords({ watched }: PrintedReport): string[] {
  if (watched === undefined) return [];
  const { steps, of } = watched;
  const more = steps < of ? ' An attacker who reads all of them gets more: raise --steps.' : '';
  return hang(
    '  ',
    `The releases of ${steps.toLocaleString('en')} of ${of.toLocaleString('en')} steps were read.${more}`,
  );
}

function guaranteeWords(report: PrintedReport): string[] {
  if (report.guarantee === undefined) return [];
  const { epsilon, delta, neighbours, accountant } = report.guarantee;
  return hang(
    '  ',
    `With secret noise, training the target would have ε = ${writeNumber(epsilon, 4, 'up')}, δ = ${writeNumber(delta, 4, 'up')} (${neighbours}, ${accountant} accountant). ${boundWords(report)} This noise came from a seed, so nothing is guaranteed.`,
  );
}

/** What the guarantee says about this attack, or why it says nothing. */
function boundWords({ guarantee, bound, mostTprAt1, examples }: PrintedReport): string {
  if (guarantee?.bound === 'approximate') return 'That is an approximation, and bounds no attack.';
  if (mostTprAt1 === undefined) {
    return guarantee?.neighbours === 'replace-one' && examples === 'halves'
      ? 'That is about replacing an example, and here examples are added or left out: it does not bound this attack.'
      : 'That is about single examples, and here whole groups are members or not: it does not bound this attack.';
  }
  const doubled = examples === 'paper' && guarantee?.neighbours === 'add-or-remove-one';
  const place = doubled ? 'Here one example takes the place of another, which counts twice' : 'For this attack';
  if (bound === undefined || mostTprAt1 >= 0.9995) return `${place}: that rules nothing out at 1 % FPR.`;
  const figures = doubled
    ? ` (ε = ${writeNumber(bound.epsilon, 4, 'up')}, δ = ${writeNumber(bound.delta, 4, 'up')})`
    : '';
  // Rounded up: the bound must not look stronger than it is.
  const most = (Math.ceil(mostTprAt1 * 1000) / 1000).toFixed(3);
  return `${place}${figures}: no attack could exceed a TPR of ${most} at 1 % FPR, but for the chance of so few examples.`;
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

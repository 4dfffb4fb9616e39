// Why reconstruction and utility fall so far apart, and what ε says where reconstruction stops, in sentences.

import type { StudyResults } from '../calibration/index.js';
import type { Falls } from './falls.js';
import { writeCosine, writeCount, writeNumber } from './number.js';
import { attacks, epsilonOf, equation, guaranteeTerms, levelName, list, sizeName } from './words.js';

/** An ε from here on bounds no chance by less than e^20. */
const hugeEpsilon = 20;

/** Noise on each of K numbers adds up to √K times as much as on one. */
export function whySentences(results: StudyResults, falls: readonly Falls[]): string[] {
  const first = falls.find(({ gap }) => gap !== undefined && gap.factor >= 3);
  if (!first?.gap) return [];
  const { shared, trainable: trained, study } = results;
  const { level } = first.gap.from;
  const attack = first.reconstructions.find(({ fall }) => fall === first.stop)?.attack;
  if (attack === undefined) return [];
  const cosine = results.levels.find((one) => one.level === level)?.leakage[attack]?.cosine?.mean;
  const measured = cosine === undefined ? '' : `a cosine of ${writeCosine(cosine)} to the truth`;
  const texts = attacks[attack].texts(study);
  const vectors = study.sharing.scope === 'tensor' ? shared.tensors : 1;
  const times = ((level.parameter ?? 0) * Math.sqrt(shared.numbers / vectors)) / texts;
  const noise =
    first.mechanism === 'gaussian'
      ? `at ${levelName(level)} the noise on all of them together is at least ${writeNumber(times, 2, 'down')} times as long as the gradient${measured && `, and what is shared has ${measured}`}`
      : `at ${levelName(level)} what is shared has ${measured || 'a direction that is mostly noise'}`;
  const batch = Math.min(study.training.batchSize, results.data.train);
  const steps = study.training.epochs * Math.ceil(results.data.train / batch);
  const seen = texts === 1 ? 'the gradient of one text' : `the gradients of ${texts} texts`;
  return [
    `The ${attacks[attack].name} attacker sees one release, ${seen} spread over ${sizeName(shared.numbers)} numbers: ${noise}.`,
    `Training sums about ${writeCount(batch)} examples a step over ${sizeName(trained.numbers)} numbers and goes on for ${writeCount(steps)} steps, in which noise averages out: it takes far more to spoil that.`,
  ];
}

/** With a δ of one over the number of examples, whole examples may get out. */
export function deltaSentences({ levels, data }: StudyResults): string[] {
  const delta = Math.max(0, ...levels.map(({ guarantee }) => guarantee?.delta ?? 0));
  if (delta * data.train < 1) return [];
  return [
    `${equation('δ', writeNumber(delta, 3, 'up'))} is not below one over the ${writeCount(data.train)} training examples: a mechanism that gives away an example now and then would keep this promise.`,
  ];
}

export function epsilonSentences({ levels }: StudyResults, falls: readonly Falls[]): string[] {
  const found = falls.flatMap(({ stop }) => {
    const at = stop?.kind === 'falls' ? levels.find(({ level }) => level === stop.at.level) : undefined;
    return at?.guarantee ? [{ level: at.level, guarantee: at.guarantee }] : [];
  });
  if (found.length === 0) return [];
  const told = found.map(({ level, guarantee }) =>
    Number.isFinite(guarantee.epsilon)
      ? `${levelName(level)} has ${equation('ε', epsilonOf(guarantee))} (${guaranteeTerms(guarantee)})`
      : `${levelName(level)} has no finite ε`,
  );
  const differ = new Set(found.map(({ guarantee }) => guarantee.neighbours)).size > 1;
  const huge = found.filter(({ guarantee }) => guarantee.epsilon > hugeEpsilon);
  const which = huge.length === found.length ? 'That' : `The ε at ${list(huge.map(({ level }) => levelName(level)))}`;
  return [
    `Training at ${told.join('; training at ')}.`,
    ...(huge.length > 0
      ? [
          `${which} promises next to nothing about the trained model. The gradients that these attackers saw are another release, for which no ε is stated: that they fail is measured, not proved.`,
        ]
      : []),
    ...(differ ? ['These two ε speak of different neighbours and cannot be compared; leakage can.'] : []),
  ];
}

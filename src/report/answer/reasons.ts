// Why reconstruction and utility fall so far apart, and what ε says where reconstruction stops, in sentences.

import { type LevelGuarantee, type LevelResults, resultsAt, type StudyResults } from '../../calibration/index.js';
import { typesetNumber, writeCosine, writeCount } from '../numbers.js';
import { attackOf, epsilonOf, equation, guaranteeTerms, levelName, list, sizeName } from '../words.js';

/** An ε from here on bounds no chance by less than e^20. */
const hugeEpsilon = 20;
/** Below this factor a gap needs no explanation. */
const wideGap = 3;

/** Noise on each of K numbers adds up to √K times as much as on one. */
export function whySentences(results: StudyResults): string[] {
  const wide = results.conclusions.mechanisms.find(({ gap }) => gap !== undefined && gap.factor >= wideGap);
  const at = wide?.gap && resultsAt(results, wide.gap.from);
  if (!wide?.reconstruction || !at) return [];
  const { shared, trainable, study, data } = results;
  const attack = attackOf(results, wide.reconstruction.decidedBy);
  const batch = Math.min(study.training.batchSize, data.train);
  const steps = study.training.epochs * Math.ceil(data.train / batch);
  const seen = attack.texts === 1 ? 'the gradient of one text' : `the gradients of ${attack.texts} texts`;
  return [
    `The ${attack.label} attacker sees one release, ${seen} spread over ${sizeName(shared.numbers)} numbers: at ${levelName(results, at.level)} ${noisePhrase(at, attack)}.`,
    `Training sums about ${writeCount(batch)} examples per step over ${sizeName(trainable.numbers)} numbers and goes on for ${writeCount(steps)} steps, in which noise averages out: it takes far more to spoil that.`,
  ];
}

/** Its length where that is known, and how far it turns the gradient where that was measured. */
function noisePhrase(
  { noiseLength, leakage }: LevelResults,
  attack: { readonly name: string; readonly texts: number },
): string {
  const cosine = leakage[attack.name]?.cosine?.mean;
  const measured = cosine === undefined ? '' : `a cosine of ${writeCosine(cosine)} to the truth`;
  if (noiseLength === undefined) return `what is shared has ${measured || 'a direction that is mostly noise'}`;
  const times = typesetNumber(noiseLength / attack.texts, 2, 'down');
  return `the noise on all of them together is at least ${times} times as long as the gradient${measured && `, and what is shared has ${measured}`}`;
}

/** With a δ of one over the number of examples, whole examples may get out. */
export function deltaSentences({ levels, data }: StudyResults): string[] {
  const delta = Math.max(0, ...levels.map(({ guarantee }) => guarantee?.delta ?? 0));
  if (delta * data.train < 1) return [];
  return [
    `${equation('δ', typesetNumber(delta, 3, 'up'))} is not below one over the ${writeCount(data.train)} training examples: a mechanism that gives away an example now and then would keep this promise.`,
  ];
}

export function epsilonSentences(results: StudyResults): string[] {
  const found = results.conclusions.mechanisms.flatMap(({ reconstruction }) => {
    const at = reconstruction?.stopsAt && resultsAt(results, reconstruction.stopsAt);
    return at?.guarantee ? [{ name: levelName(results, at.level), guarantee: at.guarantee }] : [];
  });
  if (found.length === 0) return [];
  const huge = found.filter(({ guarantee }) => guarantee.epsilon > hugeEpsilon);
  const named = `The ε at ${list(huge.map(({ name }) => name))} ${huge.length > 1 ? 'promise' : 'promises'}`;
  const which = huge.length === found.length ? 'That promises' : named;
  const differ = new Set(found.map(({ guarantee }) => guarantee.neighbours)).size > 1;
  const these = found.length === 2 ? 'These two ε' : 'These ε';
  return [
    `Training at ${found.map(({ name, guarantee }) => `${name} has ${epsilonPhrase(guarantee)}`).join('; training at ')}.`,
    ...(huge.length > 0
      ? [
          `${which} next to nothing about the trained model. The gradients that these attackers saw are another release, for which no ε is stated: that they fail is measured, not proved.`,
        ]
      : []),
    ...(differ ? [`${these} speak of different neighbours and cannot be compared; leakage can.`] : []),
  ];
}

const epsilonPhrase = (guarantee: LevelGuarantee): string =>
  Number.isFinite(guarantee.epsilon)
    ? `${equation('ε', epsilonOf(guarantee))} (${guaranteeTerms(guarantee)})`
    : 'no finite ε';

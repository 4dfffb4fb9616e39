// Why reconstruction and utility fall so far apart, and what ε says where reconstruction stops, in sentences.

import {
  isWeak,
  type LevelGuarantee,
  type LevelResults,
  resultsAt,
  type StudyResults,
} from '../../calibration/index.js';
import { typesetNumber, writeCosine, writeCount } from '../numbers.js';
import { promiseOf } from '../plan-words.js';
import { attackOf, epsilonOf, equation, guaranteeTerms, levelName, list } from '../words.js';

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
  const steps = at.settings && at.settings.epochs * Math.ceil(data.train / batch);
  const seen = attack.texts === 1 ? 'the gradient of one text' : `the sum of the gradients of ${attack.texts} texts`;
  return [
    `The ${attack.label} attacker sees one release: ${seen}, spread over ${writeCount(shared.numbers)} numbers (K). At ${levelName(results, at.level)} ${noisePhrase(at, attack)}.`,
    `Training adds up about ${writeCount(batch)} examples per step over ${writeCount(trainable.numbers)} numbers (K)${steps ? `, for ${writeCount(steps)} steps` : ''}, in which noise averages out: far more noise is needed to spoil that.`,
  ];
}

/** The length of the noise where that is known, and how far it turns the gradient where that was measured. */
function noisePhrase(
  { noiseLength, leakage }: LevelResults,
  attack: { readonly name: string; readonly texts: number },
): string {
  const cosine = leakage[attack.name]?.cosine?.mean;
  const measured =
    cosine === undefined
      ? undefined
      : `the cosine between the shared and the true gradient is ${writeCosine(cosine)} (1 is the same direction)`;
  if (noiseLength === undefined) return measured ?? 'it was not measured how far the noise turns the gradient';
  const times = typesetNumber(noiseLength / attack.texts, 2, 'down');
  return `the noise on all of them together is at least ${times} times as long as the gradient${measured ? `, and ${measured}` : ''}`;
}

/** Warns where δ is at least one over the number of examples: such a promise allows whole examples to be published. */
export function deltaSentences({ levels, data }: StudyResults): string[] {
  const delta = Math.max(0, ...levels.map((one) => promiseOf(one)?.delta ?? 0));
  if (delta * data.train < 1) return [];
  return [
    `${equation('δ', typesetNumber(delta, 3, 'up'))} is not below one over the ${writeCount(data.train)} training examples: even a mechanism that publishes a whole example now and then would keep such a promise.`,
  ];
}

export function epsilonSentences(results: StudyResults): string[] {
  const found = results.conclusions.mechanisms.flatMap(({ reconstruction }) => {
    const at = reconstruction?.stopsAt && resultsAt(results, reconstruction.stopsAt);
    const guarantee = at && promiseOf(at);
    return guarantee ? [{ name: levelName(results, at.level), guarantee }] : [];
  });
  if (found.length === 0) return [];
  const huge = found.filter(({ guarantee }) => isWeak(guarantee));
  const named = `The ε at ${list(huge.map(({ name }) => name))} ${huge.length > 1 ? 'promise' : 'promises'}`;
  const all = huge.length > 1 ? 'Such large ε promise' : 'So large an ε promises';
  const which = huge.length === found.length ? all : named;
  const differ = new Set(found.map(({ guarantee }) => guarantee.neighbours)).size > 1;
  const these = found.length === 2 ? 'These two ε' : 'These ε';
  return [
    `Training at ${found.map(({ name, guarantee }) => `${name} has ${epsilonPhrase(guarantee)}`).join('; training at ')}.`,
    ...(huge.length > 0
      ? [
          `${which} next to nothing about the trained model. The gradients that these attackers saw are a separate release with an ε of its own (under “What is promised”).`,
        ]
      : []),
    ...(differ ? [`${these} are for different neighbours, so they cannot be compared; measured leakage can.`] : []),
  ];
}

const epsilonPhrase = (guarantee: LevelGuarantee): string =>
  Number.isFinite(guarantee.epsilon)
    ? `${equation('ε', epsilonOf(guarantee))} (${guaranteeTerms(guarantee)})`
    : 'no finite ε';

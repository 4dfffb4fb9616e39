// The guarantee of a release at any amount of noise, measured or not: that of training, and that of the gradients that a client shares.

import { ArgumentError } from '../../checks/index.js';
import { bisect } from '../../math/index.js';
import {
  guaranteeOfShared,
  mechanismOf,
  type NoisyMechanism,
  noisyNames,
  parameterOf,
  planSizes,
} from '../../mechanisms/index.js';
import type { Guarantee } from '../../privacy/index.js';
import { type CountedRuns, countedGuarantee, triedPlans } from '../study/counted-runs.js';
import { optionsFor, protectionOf } from '../study/levels.js';
import { sameLevel } from './level.js';
import type { LevelResults, SetSize, SharedGuarantee, StatedEpsilon, StudyResults } from './results.js';

/** What guarantees depend on, apart from the noise. */
export interface GuaranteeSource extends Pick<StudyResults, 'study'> {
  /** How many examples are trained on. */
  readonly data: Pick<StudyResults['data'], 'train'>;
  /** Needed where tuning counts: settings are tried at some of the levels. */
  readonly levels?: readonly Pick<LevelResults, 'level' | 'guarantee' | 'planned'>[];
  /** How many layers are trained; needed where a mechanism treats layers separately. */
  readonly trainable?: Pick<SetSize, 'layers'>;
  /** How many tensors and numbers are shared; the latter only decide noise that is given as a cosine. */
  readonly shared: Pick<SetSize, 'tensors' | 'mostTensors'> & Partial<Pick<SetSize, 'numbers'>>;
}

/** Which release a guarantee is about. */
export type ReleaseKind = 'training' | 'sharing';

/** The guarantee of a release with this much noise; undefined if there is none, or if it cannot be computed from the results alone. */
export function guaranteeAt(
  source: GuaranteeSource,
  release: ReleaseKind,
  mechanism: string,
  parameter: number,
): StatedEpsilon | undefined {
  if (!isKnown(mechanism)) return undefined;
  const found =
    release === 'training' ? ofTraining(source, mechanism, parameter) : ofSharing(source, mechanism, parameter);
  return found && stated(found);
}

/** The parameter at which a release has this ε; undefined if there is none, or if it cannot be found. */
export function parameterFor(
  source: GuaranteeSource,
  release: ReleaseKind,
  mechanism: string,
  epsilon: number,
): number | undefined {
  if (!isKnown(mechanism)) return undefined;
  if (release === 'training') return trainingParameter(source, mechanism, epsilon);
  const { moreNoise } = parameterOf(mechanism);
  const sign = moreNoise === 'higher' ? 1 : -1;
  const isKept = (amount: number) =>
    (ofSharing(source, mechanism, 10 ** (sign * amount))?.epsilon ?? Number.POSITIVE_INFINITY) <= epsilon;
  if (!isKept(widest)) return undefined;
  return 10 ** (sign * bisect(isKept, -widest, widest, { absolute: 1e-9 }));
}

/** Results may come from a version that has other mechanisms. */
export const isKnown = (name: string): name is NoisyMechanism => (noisyNames as readonly string[]).includes(name);

/** Noise is looked for between 10 to the power of minus and plus this. */
const widest = 15;

/** What a client is promised at a level; nothing without noise. */
export function sharedGuaranteeOf(
  source: GuaranteeSource,
  { mechanism, parameter }: { readonly mechanism: string; readonly parameter?: number },
): { readonly shared?: SharedGuarantee } {
  if (parameter === undefined || !isKnown(mechanism)) return {};
  const once = ofSharing(source, mechanism, parameter, 1);
  if (once === undefined) return {};
  const { rounds = 1 } = source.study.sharing;
  const all = rounds > 1 ? ofSharing(source, mechanism, parameter) : undefined;
  return { shared: { once: stated(once), ...(all && { rounds: { count: rounds, all: stated(all) } }) } };
}

const stated = ({ epsilon, delta, neighbours, accountant, bound }: StatedEpsilon): StatedEpsilon => ({
  epsilon,
  delta,
  neighbours,
  accountant,
  bound,
});

/** Sizes of the training that the study stands for; undefined where the number of epochs is tuned, so that there are several. */
function sizesOf({ study, data }: GuaranteeSource) {
  if (study.plan) {
    const { examples, epochs, batchSize } = study.plan;
    return { examples, epochs, batchSize };
  }
  const { epochs, batchSize } = study.training;
  if (typeof epochs !== 'number') return undefined;
  return { examples: data.train, epochs, batchSize: Math.min(batchSize, data.train) };
}

function trainingOf({ study }: GuaranteeSource) {
  const { clipNorm } = study.training;
  const delta = study.plan?.delta ?? study.training.delta;
  return { clipNorm, ...(delta !== undefined && { delta }) };
}

type Sizes = NonNullable<ReturnType<typeof sizesOf>>;

/** The runs that count at a level. */
const runsOf = ({ study, levels = [], trainable }: GuaranteeSource, sizes: Sizes): CountedRuns => ({
  study,
  levels: levels.map(({ level }) => level),
  layers: trainable?.layers,
  sizesFor: () => sizes,
});

/** As the ε of levels: with the runs that were tried to choose settings, if they count. */
function ofTraining(source: GuaranteeSource, mechanism: NoisyMechanism, parameter: number): StatedEpsilon | undefined {
  const sizes = sizesOf(source);
  if (sizes === undefined) return undefined;
  const { study, levels = [] } = source;
  // Composing many runs takes seconds, and the trials of a level have done it.
  const known =
    study.training.tuning?.accounted && levels.find(({ level }) => sameLevel(level, { mechanism, parameter }));
  if (known) return known.planned ?? known.guarantee;
  return attempt(source, sizes, ['guarantee', mechanism, parameter], () =>
    countedGuarantee(runsOf(source, sizes), { mechanism, parameter }, sizes.epochs),
  );
}

function trainingParameter(source: GuaranteeSource, mechanism: NoisyMechanism, epsilon: number): number | undefined {
  const sizes = sizesOf(source);
  const grid = mechanismOf(mechanism).grids.epsilon;
  if (sizes === undefined || grid === undefined) return undefined;
  return attempt(source, sizes, ['parameter', mechanism, epsilon], () => {
    const ofOneRun = grid.parameterFor(epsilon, {
      sizes: planSizes(sizes),
      training: trainingOf(source),
      options: optionsFor(source.study, mechanism),
      numbers: source.shared.numbers ?? 1,
      scope: source.study.sharing.scope,
    });
    return source.study.training.tuning?.accounted ? withTuning(source, sizes, mechanism, epsilon, ofOneRun) : ofOneRun;
  });
}

/** So much more noise (powers of ten) than one run needs is tried where the runs that chose its settings count too, as finely as this. */
const mostForTuning = { powers: 2, step: 5e-3 };

/** The least noise at which all runs together have this ε, from what a single one needs; undefined if too many were tried. */
function withTuning(
  source: GuaranteeSource,
  sizes: Sizes,
  mechanism: NoisyMechanism,
  epsilon: number,
  ofOneRun: number,
): number | undefined {
  const sign = parameterOf(mechanism).moreNoise === 'higher' ? 1 : -1;
  const parameterAt = (more: number) => ofOneRun * 10 ** (sign * more);
  const isKept = (more: number) =>
    (ofTraining(source, mechanism, parameterAt(more))?.epsilon ?? Number.POSITIVE_INFINITY) <= epsilon;
  // The runs that were tried alone may have more already.
  const [first] = triedPlans(runsOf(source, sizes), { mechanism, parameter: parameterAt(mostForTuning.powers) });
  if ((first?.guarantee?.epsilon ?? 0) > epsilon || !isKept(mostForTuning.powers)) return undefined;
  return parameterAt(bisect(isKept, 0, mostForTuning.powers, { absolute: mostForTuning.step }));
}

function ofSharing(
  { study, data, shared }: GuaranteeSource,
  mechanism: string,
  parameter: number,
  rounds = study.sharing.rounds ?? 1,
): Guarantee | undefined {
  const examples = study.plan?.examples ?? data.train;
  const delta = study.plan?.delta ?? study.training.delta ?? examples ** -1.1;
  const vectors = study.sharing.scope === 'tensor' ? (shared.mostTensors ?? shared.tensors) : 1;
  return guaranteeOfShared(protectionOf({ mechanism, parameter }, study), { vectors, rounds, delta });
}

/**
 * Finds it once: accounting takes up to a second, and several parts of a report ask for the same. Plans that need what results do not hold, such as
 * the layers of the model, have no guarantee here.
 */
function attempt<Found>(
  source: GuaranteeSource,
  sizes: object,
  asked: readonly unknown[],
  find: () => Found,
): Found | undefined {
  const { mechanisms, sharing, training } = source.study;
  const tuning = training.tuning?.accounted
    ? [training, source.study.seeds, source.levels?.map(({ level }) => level)]
    : [];
  const settings = [mechanisms, sharing.scope, trainingOf(source), source.shared, source.trainable?.layers];
  const key = JSON.stringify([asked, sizes, settings, tuning]);
  if (known.has(key)) return known.get(key) as Found | undefined;
  try {
    const found = find();
    known.set(key, found);
    return found;
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    known.set(key, undefined);
    return undefined;
  }
}

const known = new Map<string, unknown>();

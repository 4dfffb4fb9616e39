// The guarantee of a release at any amount of noise, measured or not: that of training, and that of the gradients that a client shares.

import { ArgumentError } from '../../checks/index.js';
import { bisect } from '../../math/index.js';
import {
  guaranteeOfShared,
  mechanismOf,
  type NoisyMechanism,
  noisyNames,
  type PlanOptions,
  parameterOf,
  planSizes,
} from '../../mechanisms/index.js';
import type { Guarantee } from '../../privacy/index.js';
import { makePlan } from '../../training/index.js';
import { optionsFor, protectionOf } from '../study/levels.js';
import type { SetSize, SharedGuarantee, StatedEpsilon, StudyResults } from './results.js';

/** What guarantees depend on, apart from the noise. */
export interface GuaranteeSource extends Pick<StudyResults, 'study'> {
  /** How many examples are trained on. */
  readonly data: Pick<StudyResults['data'], 'train'>;
  /** How many tensors and numbers are shared; the latter only decide noise that is given as a cosine. */
  readonly shared: Pick<SetSize, 'tensors'> & Partial<Pick<SetSize, 'numbers'>>;
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

const stated = ({ epsilon, delta, neighbours, accountant, bound }: Guarantee): StatedEpsilon => ({
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

function ofTraining(source: GuaranteeSource, mechanism: NoisyMechanism, parameter: number): Guarantee | undefined {
  const sizes = sizesOf(source);
  if (sizes === undefined) return undefined;
  return attempt(source, ['guarantee', mechanism, parameter], () => {
    const options = mechanismOf(mechanism).planAt(parameter, trainingOf(source), optionsFor(source.study, mechanism));
    return makePlan({ ...options, ...sizes } as PlanOptions).guarantee;
  });
}

function trainingParameter(source: GuaranteeSource, mechanism: NoisyMechanism, epsilon: number): number | undefined {
  const sizes = sizesOf(source);
  const grid = mechanismOf(mechanism).grids.epsilon;
  if (sizes === undefined || grid === undefined) return undefined;
  return attempt(source, ['parameter', mechanism, epsilon], () =>
    grid.parameterFor(epsilon, {
      sizes: planSizes(sizes),
      training: trainingOf(source),
      options: optionsFor(source.study, mechanism),
      numbers: source.shared.numbers ?? 1,
      scope: source.study.sharing.scope,
    }),
  );
}

function ofSharing(
  { study, data, shared }: GuaranteeSource,
  mechanism: string,
  parameter: number,
  rounds = study.sharing.rounds ?? 1,
): Guarantee | undefined {
  const examples = study.plan?.examples ?? data.train;
  const delta = study.plan?.delta ?? study.training.delta ?? examples ** -1.1;
  const vectors = study.sharing.scope === 'tensor' ? shared.tensors : 1;
  return guaranteeOfShared(protectionOf({ mechanism, parameter }, study), { vectors, rounds, delta });
}

/**
 * Finds it once: accounting takes up to a second, and several parts of a report ask for the same. Plans that need what results do not hold, such as
 * the layers of the model, have no guarantee here.
 */
function attempt<Found>(source: GuaranteeSource, asked: readonly unknown[], find: () => Found): Found | undefined {
  const { training, mechanisms, sharing, plan } = source.study;
  const key = JSON.stringify([asked, training, mechanisms, sharing, plan, source.data.train, source.shared]);
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

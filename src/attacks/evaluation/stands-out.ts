// Whether a recovery stands out of the noise. An attack always guesses: what it says of pure noise are words too, and must not be
// shown as if they had come from the client.

import { fillNormal, type SeededSource } from '../../random/index.js';
import type { OpenGradientAttack } from '../attack.js';
import { tokensAround } from '../model.js';
import type { GradientView, Recovery } from '../view.js';

/** Chance agreement of one text with another, such as a common word at the right place, is this much at least. */
const leastMargin = 0.1;

/**
 * The score above which a text counts as recovered, from the floors of all texts: their mean, and twice their standard deviation or
 * 0.1, whichever is more. Floors of the prior, if there are any, give a second one, and the higher of the two counts. Undefined
 * without floors.
 */
export function recoveryThreshold(floors: readonly number[], priorFloors: readonly number[] = []): number | undefined {
  if (floors.length === 0) return undefined;
  return Math.max(aboveAll(floors), priorFloors.length === 0 ? 0 : aboveAll(priorFloors));
}

function aboveAll(floors: readonly number[]): number {
  const usual = mean(floors);
  const squares = floors.reduce((sum, one) => sum + (one - usual) ** 2, 0);
  const deviation = Math.sqrt(squares / Math.max(1, floors.length - 1));
  return usual + Math.max(leastMargin, 2 * deviation);
}

/** Whether a text counts as recovered; one that is back in full always does. */
export const isRecovered = (score: number, threshold: number): boolean => score > threshold || score === 1;

/** Gradients of pure noise that the attack is run on. A recovery from noise is surer than all of them once in ten times. */
const noiseDraws = 9;

/**
 * Without ground truth: whether the attack is surer of its tokens than it is on pure noise of the same size. Undefined if the size
 * of the noise is unknown.
 */
export async function standsOut(
  { run }: Pick<OpenGradientAttack, 'run'>,
  view: GradientView,
  recovery: Recovery,
  random: SeededSource,
  onProgress?: (progress: { readonly done: number; readonly all: number }) => void,
): Promise<boolean | undefined> {
  if (Object.values(view.noise).every((deviation) => deviation === 0)) return undefined;
  const { before, after } = tokensAround(view.model.tokenizer);
  // Special tokens around every text are known anyway.
  const sureness = ({ confidence }: Recovery) =>
    mean(confidence.flatMap((one) => one.slice(before.length, one.length - after.length)));
  const own = sureness(recovery);
  for (let draw = 0; draw < noiseDraws; draw++) {
    onProgress?.({ done: draw + 1, all: noiseDraws + 1 });
    const source = random.stream(`pure noise ${draw}`);
    const gradients = Object.fromEntries(
      Object.entries(view.gradients).map(([name, { length }]) => {
        const standardDeviation = view.noise[name] ?? 0;
        return [name, fillNormal(source, new Float32Array(length), { standardDeviation })];
      }),
    );
    if (sureness(await run({ ...view, gradients })) >= own) return false;
  }
  return true;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);

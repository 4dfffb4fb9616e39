// The plan of a training run from the options of the front door.

import { ArgumentError, refuseUnknown } from '../checks/index.js';
import { mechanismOf, noisyNames, type Plan, type PlanOptions } from '../mechanisms/index.js';
import { makePlan } from '../training/index.js';
import { type FineTuneOptions, usualMechanism } from './fine-tune-options.js';

/** The mechanism that was asked for with its options; undefined without privacy. */
export function mechanismFrom(privacy: FineTuneOptions['privacy']) {
  if (privacy === undefined) return undefined;
  const { insecureSeed: _, mechanism = usualMechanism, ...options } = privacy;
  if (!(noisyNames as readonly string[]).includes(mechanism)) {
    const names = `${noisyNames.slice(0, -1).join(', ')} or ${noisyNames.at(-1)}`;
    throw new ArgumentError(
      `invalid mechanism: expected ${names}, got ${mechanism}: leave privacy out to train without`,
    );
  }
  const { planOptions } = mechanismOf(mechanism);
  // Sizes follow from the data and the options beside `privacy`.
  refuseUnknown(options, ['mechanism', ...Object.keys(planOptions), 'insecureSeed'], 'privacy');
  return { mechanism, ...options };
}

/** A plan for so many examples. `layers` groups the trainable parameters by layer. */
export function planFor(
  { privacy, epochs, batchSize }: Pick<FineTuneOptions, 'privacy' | 'batchSize'> & { readonly epochs: number },
  examples: number,
  layers: () => readonly (readonly string[])[],
): Plan {
  const noise = mechanismFrom(privacy);
  const sizes = { examples, epochs, batchSize: batchSize ?? Math.min(noise ? 128 : 32, examples) };
  if (noise === undefined) return makePlan({ mechanism: 'none', ...sizes });
  return makePlan({ ...noise, ...sizes, layers: layers() } as PlanOptions);
}

// The guarantee of a run with Gaussian noise, and the noise for a target ε.

import { ArgumentError, nonNegative, option, say } from '../../checks/index.js';
import {
  type AccountantName,
  accountantOf,
  findNoise,
  gaussian,
  type Neighbours,
  type PrivacyEvent,
  poissonSampled,
  selfComposed,
} from '../../privacy/index.js';
import type { PlanSizes, Promised, Sampler } from './plan.js';

export type GaussianPromiseOptions = ({ readonly epsilon: number } | { readonly noiseMultiplier: number }) & {
  readonly sampler: Sampler;
  readonly sizes: PlanSizes;
  readonly neighbours: Neighbours;
  readonly accountant: AccountantName;
  readonly delta: number;
};

export function gaussianPromise(options: GaussianPromiseOptions): Promised & { readonly noiseMultiplier: number } {
  const { sampler, sizes, neighbours, accountant, delta } = options;
  // Shuffled batches: replacing an example moves a sum of bounded gradients by up to twice the bound, in one batch per epoch.
  const eventFor = (noise: number): PrivacyEvent =>
    sampler.kind === 'poisson' ? poissonSampled(sampler.sampleRate, gaussian(noise)) : gaussian(noise / 2);
  const times = sampler.kind === 'poisson' ? sizes.steps : sizes.epochs;
  const composedFor = (noise: number) => selfComposed(times, eventFor(noise));
  const noiseMultiplier =
    'noiseMultiplier' in options
      ? options.noiseMultiplier
      : findNoise({
          accountant,
          options: { neighbours },
          eventFor: composedFor,
          target: { epsilon: options.epsilon, delta },
        });
  nonNegative({ noiseMultiplier });
  const guarantee = accountantOf(accountant, { neighbours }).compose(composedFor(noiseMultiplier)).epsilon(delta);
  if (guarantee.epsilon === Number.POSITIVE_INFINITY) {
    throw new ArgumentError(
      say`${option('noiseMultiplier')} ${noiseMultiplier}: epsilon is infinite by the ${accountant} accountant: use more noise, or another accountant`,
    );
  }
  return { noiseMultiplier, event: eventFor(noiseMultiplier), neighbours, accountant, delta, guarantee };
}

// Gradients without noise whose layers are each scaled to length 1: what directional noise with a direction per layer becomes as the
// noise vanishes. A control for studies, like `normalised`.

import { ArgumentError } from '../../checks/index.js';
import type { ParameterGroups } from './batch-gradients.js';
import { cosineUnderNoise } from './expected-cosine.js';
import type { GradientMechanism } from './gradient-mechanism.js';
import { meanOfBounded, type NormalisedPlan, type NormalisedProtection, normalised } from './normalised.js';
import type { PlanSizes } from './plan.js';

const name = 'normalised-layers';

export interface NormalisedLayersOptions {
  readonly mechanism: typeof name;
  /** The trainable parameters by layer: a plan needs them. */
  readonly layers?: ParameterGroups;
}

export type NormalisedLayersPlan = Omit<NormalisedPlan, 'mechanism'> & {
  readonly mechanism: typeof name;
  readonly parameterGroups: ParameterGroups;
};

const boundedBy = ({ parameterGroups }: NormalisedLayersPlan) => ({
  ...normalised.boundedBy(),
  parameterGroups,
});

function plan({ layers }: NormalisedLayersOptions, sizes: PlanSizes): NormalisedLayersPlan {
  if (!Array.isArray(layers)) {
    throw new ArgumentError('invalid layers: expected the trainable parameters of each layer, got none');
  }
  return {
    ...normalised.plan({ mechanism: 'normalised' }, sizes),
    mechanism: name,
    parameterGroups: layers as ParameterGroups,
  };
}

export const normalisedLayers = {
  name,
  isControl: true,
  words: {
    label: 'gradients normalised by layer without noise',
    short: 'normalised by layer',
    definition: 'Every layer of every gradient is scaled to length 1 and used without noise, without a guarantee.',
  },

  planOptions: {},
  planNeeds: [],
  plan,
  optionsOf: ({ parameterGroups: layers }): NormalisedLayersOptions => ({ mechanism: name, layers }),
  describePlan: () => 'none; every layer of every gradient is scaled to length 1',
  boundedBy,
  expectedCosine: (_, { sumNorm }) => cosineUnderNoise(sumNorm, 0),
  release: (plan, batch) => meanOfBounded(batch, boundedBy(plan)),

  // What a client shares follows the scope of the study, and is protected as by `normalised`.
  protectOptions: normalised.protectOptions,
  protect: normalised.protect,
  describeProtection: normalised.describeProtection,

  grids: {},
  planAt: (): NormalisedLayersOptions => ({ mechanism: name }),
  protectionAt: normalised.protectionAt,
} satisfies GradientMechanism<typeof name, NormalisedLayersOptions, NormalisedLayersPlan, NormalisedProtection>;

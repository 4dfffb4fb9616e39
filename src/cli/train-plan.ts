// The privacy options of `epsilens train`, and the plan they give.

import { ArgumentError } from '../checks/index.js';
import type { Model } from '../models/index.js';
import type { AccountantName } from '../privacy/index.js';
import { groupsByLayer, makePlan, type Plan } from '../training/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { expectOwnFlags, oneOf } from './own-flags.js';

export interface PlanFlags {
  readonly mechanism: string;
  readonly epsilon?: number;
  readonly noise?: number;
  readonly concentration?: number;
  readonly delta?: number;
  readonly clipNorm?: number;
  readonly clipping?: string;
  readonly sampler?: string;
  readonly accountant?: string;
  readonly parameterGroups?: string;
  readonly insecureSeed?: number;
}

export function addPlanFlags(command: Command): Command {
  return command
    .option('--mechanism <name>', 'none, gaussian (DP-SGD) or directional (directional, DirDP-SGD)', 'none')
    .option('--epsilon <epsilon>', 'gaussian: find the noise for this epsilon', positiveNumber)
    .option('--noise <multiplier>', 'gaussian: standard deviation of the noise over the clip norm', positiveNumber)
    .option('--concentration <concentration>', 'directional: concentration of the random directions', positiveNumber)
    .option('--delta <delta>', 'gaussian: examples^-1.1 unless given', positiveNumber)
    .option('--clip-norm <norm>', 'gaussian: longest gradient of an example, 1 unless given', positiveNumber)
    .option('--clipping <kind>', 'gaussian: clip (default), or normalise every gradient to the clip norm')
    .option('--sampler <kind>', 'poisson (default of gaussian) or shuffled (the only one for directional)')
    .option(
      '--accountant <name>',
      'pld (default of gaussian), rdp, moments, zcdp, advanced, basic, gdp; metric for directional',
    )
    .option('--parameter-groups <kind>', 'directional: whole (default) or layers, each with a direction of its own')
    .option('--insecure-seed <number>', 'noise from a seed, for experiments: the guarantee is void', wholeNumber(0));
}

interface Sizes {
  readonly examples: number;
  readonly epochs: number;
  readonly batchSize: number;
}

/** Which options belong to which mechanism; one given for another is a mistake worth saying. */
const own: Readonly<Record<string, readonly (keyof PlanFlags)[]>> = {
  none: [],
  gaussian: ['epsilon', 'noise', 'delta', 'clipNorm', 'clipping', 'sampler', 'accountant', 'insecureSeed'],
  directional: ['concentration', 'sampler', 'accountant', 'parameterGroups', 'insecureSeed'],
};

export function planFrom(flags: PlanFlags, sizes: Sizes, model: Model, trained: readonly string[]): Plan {
  const { mechanism, epsilon, noise, concentration, delta, clipNorm } = flags;
  expectOwnFlags(own, mechanism, flags, 'none, gaussian or directional');
  const sampler = oneOf('sampler', flags.sampler, ['poisson', 'shuffled'] as const);
  const common = {
    ...sizes,
    ...(sampler && { sampler }),
    ...(flags.accountant !== undefined && { accountant: flags.accountant as AccountantName }),
  };
  if (mechanism === 'none') return makePlan({ mechanism, ...sizes });
  if (mechanism === 'directional') {
    if (concentration === undefined)
      throw new ArgumentError('--mechanism directional needs --concentration, the concentration of the directions');
    const groups = oneOf('parameter-groups', flags.parameterGroups, ['whole', 'layers'] as const);
    return makePlan({
      mechanism,
      ...common,
      concentration: concentration,
      ...(groups === 'layers' && { parameterGroups: groupsByLayer(model, trained) }),
    });
  }
  if ((epsilon === undefined) === (noise === undefined)) {
    throw new ArgumentError('--mechanism gaussian needs either --epsilon or --noise');
  }
  const clipping = oneOf('clipping', flags.clipping, ['clip', 'normalise'] as const);
  return makePlan({
    mechanism: 'gaussian',
    ...common,
    ...(epsilon !== undefined && { epsilon: epsilon }),
    ...(noise !== undefined && { noiseMultiplier: noise }),
    ...(delta !== undefined && { delta }),
    ...(clipNorm !== undefined && { clipNorm }),
    ...(clipping && { clipping }),
  });
}

// The privacy options of `epsilens train`, and the plan they give.

import { ArgumentError } from '../checks/index.js';
import type { AccountantName } from '../privacy/index.js';
import { makePlan, type Plan, partsByLayer } from '../training/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { expectOwnFlags, oneOf } from './own-flags.js';

export interface PlanFlags {
  readonly mechanism: string;
  readonly epsilon?: number;
  readonly noise?: number;
  readonly kappa?: number;
  readonly delta?: number;
  readonly clipNorm?: number;
  readonly bounding?: string;
  readonly sampler?: string;
  readonly accountant?: string;
  readonly parts?: string;
  readonly insecureSeed?: number;
}

export function addPlanFlags(command: Command): Command {
  return command
    .option('--mechanism <name>', 'none, gaussian (DP-SGD) or vmf (directional, DirDP-SGD)', 'none')
    .option('--epsilon <epsilon>', 'gaussian: find the noise for this epsilon', positiveNumber)
    .option('--noise <multiplier>', 'gaussian: standard deviation of the noise over the clip norm', positiveNumber)
    .option('--kappa <concentration>', 'vmf: concentration of the random directions', positiveNumber)
    .option('--delta <delta>', 'gaussian: examples^-1.1 unless given', positiveNumber)
    .option('--clip-norm <norm>', 'gaussian: longest gradient of an example, 1 unless given', positiveNumber)
    .option('--bounding <kind>', 'gaussian: clip (default), or normalise every gradient to the clip norm')
    .option('--sampler <kind>', 'poisson (default of gaussian) or shuffled (the only one for vmf)')
    .option(
      '--accountant <name>',
      'pld (default of gaussian), rdp, moments, zcdp, advanced, basic, gdp; metric for vmf',
    )
    .option('--parts <kind>', 'vmf: whole (default) or layers, each with a direction of its own')
    .option('--insecure-seed <number>', 'noise from a seed, for experiments: the guarantee is void', wholeNumber(0));
}

interface Sizes {
  readonly examples: number;
  readonly epochs: number;
  readonly lotSize: number;
}

/** Which options belong to which mechanism; one given for another is a mistake worth saying. */
const own: Readonly<Record<string, readonly (keyof PlanFlags)[]>> = {
  none: [],
  gaussian: ['epsilon', 'noise', 'delta', 'clipNorm', 'bounding', 'sampler', 'accountant', 'insecureSeed'],
  vmf: ['kappa', 'sampler', 'accountant', 'parts', 'insecureSeed'],
};

export function planFrom(flags: PlanFlags, sizes: Sizes, trained: readonly string[]): Plan {
  const { mechanism, epsilon, noise, kappa, delta, clipNorm } = flags;
  expectOwnFlags(own, mechanism, flags, 'none, gaussian or vmf');
  const sampler = oneOf('sampler', flags.sampler, ['poisson', 'shuffled'] as const);
  const common = {
    ...sizes,
    ...(sampler && { sampler }),
    ...(flags.accountant !== undefined && { accountant: flags.accountant as AccountantName }),
  };
  if (mechanism === 'none') return makePlan({ mechanism, ...sizes });
  if (mechanism === 'vmf') {
    if (kappa === undefined)
      throw new ArgumentError('--mechanism vmf needs --kappa, the concentration of the directions');
    const parts = oneOf('parts', flags.parts, ['whole', 'layers'] as const);
    return makePlan({
      mechanism,
      ...common,
      concentration: kappa,
      ...(parts === 'layers' && { parts: partsByLayer(trained) }),
    });
  }
  if ((epsilon === undefined) === (noise === undefined)) {
    throw new ArgumentError('--mechanism gaussian needs either --epsilon or --noise');
  }
  const bounding = oneOf('bounding', flags.bounding, ['clip', 'normalise'] as const);
  return makePlan({
    mechanism: 'gaussian',
    ...common,
    ...(epsilon !== undefined && { targetEpsilon: epsilon }),
    ...(noise !== undefined && { noiseMultiplier: noise }),
    ...(delta !== undefined && { delta }),
    ...(clipNorm !== undefined && { clipNorm }),
    ...(bounding && { bounding }),
  });
}

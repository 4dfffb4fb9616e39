// What a client does before it shares, as options that all gradient attacks have.

import type { Protection } from '../attacks/index.js';
import { ArgumentError } from '../checks/index.js';
import { type Command, positiveNumber } from './command.js';
import { expectOwnFlags, oneOf } from './own-flags.js';

export interface ProtectionFlags {
  readonly mechanism: string;
  readonly noise?: number;
  readonly concentration?: number;
  readonly cosine?: number;
  readonly clipNorm?: number;
  readonly clipping?: string;
  readonly scope?: string;
}

export function addProtectionFlags(command: Command): Command {
  return command
    .option(
      '--mechanism <name>',
      'what the client does to its gradient: none, gaussian, directional, or cosine (to measure)',
      'none',
    )
    .option(
      '--noise <multiplier>',
      'gaussian: standard deviation over the clip norm (absolute with --clipping none)',
      positiveNumber,
    )
    .option('--clip-norm <norm>', 'gaussian: 1 unless given', positiveNumber)
    .option('--clipping <kind>', 'gaussian: clip (default), normalise or none')
    .option('--concentration <concentration>', 'directional: concentration of the random direction', positiveNumber)
    .option(
      '--cosine <cosine>',
      'cosine: noise on each tensor that leaves this expected cosine to the truth',
      positiveNumber,
    )
    .option('--scope <kind>', 'joint (default: all shared tensors are one vector) or tensor (each by itself)');
}

const own: Readonly<Record<string, readonly (keyof ProtectionFlags)[]>> = {
  none: [],
  gaussian: ['noise', 'clipNorm', 'clipping', 'scope'],
  directional: ['concentration', 'scope'],
  cosine: ['cosine'],
};

export function protectionFrom(flags: ProtectionFlags): Protection {
  const { mechanism, noise, concentration, cosine, clipNorm = 1 } = flags;
  expectOwnFlags(own, mechanism, flags);
  const scope = oneOf('scope', flags.scope, ['joint', 'tensor'] as const) ?? 'joint';
  const clipping = oneOf('clipping', flags.clipping, ['clip', 'normalise', 'none'] as const) ?? 'clip';
  switch (mechanism) {
    case 'gaussian':
      return { mechanism, scope, clipping, clipNorm, noiseMultiplier: needed('noise', noise) };
    case 'directional':
      return { mechanism, scope, concentration: needed('concentration', concentration) };
    case 'cosine':
      return { mechanism, cosine: needed('cosine', cosine) };
    default:
      return { mechanism: 'none' };
  }
}

function needed(flag: string, value: number | undefined): number {
  if (value === undefined) throw new ArgumentError(`this mechanism needs --${flag}`);
  return value;
}

/** In a few words, for tables. */
export function describeProtection(protection: Protection): string {
  switch (protection.mechanism) {
    case 'none':
      return 'no noise';
    case 'cosine':
      return `normal noise, expected cosine ${protection.cosine} for each tensor`;
    case 'directional':
      return `directional noise, concentration ${protection.concentration}, ${protection.scope}`;
    case 'gaussian': {
      const { clipping, clipNorm, noiseMultiplier, scope } = protection;
      const bound =
        clipping === 'none' ? 'not bounded' : `${clipping === 'clip' ? 'clipped' : 'normalised'} to ${clipNorm}`;
      return `normal noise of ${noiseMultiplier}, ${bound}, ${scope}`;
    }
  }
}

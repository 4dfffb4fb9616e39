// Who sees what. The same model can be safe from one reader and open to another, so attacks are sorted by what the attacker must be able to see,
// and every situation names the release that a guarantee would have to cover there.

import type { OptionValues } from '../checks/index.js';
import type { Attack } from './attack.js';

/** Who sees what: the trained model only, every update of training, the gradients of single clients, or those of a model that the attacker sets. */
export type SituationName = 'model' | 'updates' | 'gradients' | 'server';

/** A situation in words, and the release that its attackers see. */
export interface Situation {
  readonly name: SituationName;
  /** The name of an attack that belongs to it. */
  readonly example: string;
  /** As a heading. */
  readonly label: string;
  /** Who sees what, as a sentence. */
  readonly sees: string;
  /** Whose guarantee applies: that of the whole training, or that of a client for the gradients it shares. */
  readonly release: 'training' | 'sharing';
  /** A situation whose attacks are possible here too, because its attacker sees less. */
  readonly includes?: SituationName;
  /** What the guarantee of this release does not cover, as a sentence. */
  readonly notCovered: string;
}

/** All situations, from the attacker who sees least. */
export const situations: readonly Situation[] = [
  {
    name: 'model',
    example: 'membership',
    label: 'Only the trained model is seen',
    sees: 'Training happens in one place; others get the trained model, or may ask it.',
    release: 'training',
    notCovered:
      'The guarantee of training does not cover gradients that a client shares before they are summed and protected.',
  },
  {
    name: 'updates',
    example: 'updates',
    includes: 'model',
    label: 'Every update of training is seen',
    sees: 'Somebody sees what each step of training releases: a protected sum over a batch. The guarantee of training is about this attacker.',
    release: 'training',
    notCovered:
      'The guarantee of training does not cover gradients that a client shares before they are summed and protected.',
  },
  {
    name: 'gradients',
    example: 'likelihood',
    label: 'Gradients of single clients are seen',
    sees: 'A server follows the protocol, but looks at the gradient that each client shares.',
    release: 'sharing',
    notCovered: 'The guarantee of one shared gradient counts once for every round in which the same text takes part.',
  },
  {
    name: 'server',
    example: 'decepticons',
    includes: 'gradients',
    label: 'The server sets the model',
    sees: 'A malicious server sends clients a model of its own making and looks at the gradients that come back.',
    release: 'sharing',
    notCovered: 'The guarantee of one shared gradient counts once for every round in which the same text takes part.',
  },
];

/** The names of all situations. */
export const situationNames: readonly SituationName[] = situations.map(({ name }) => name);

/** The situation in which an attack with these options is possible. */
export function situationOf(attack: Attack, options: OptionValues<Attack['options']>): SituationName {
  if (attack.sees === 'gradient') return attack.server === 'malicious' ? 'server' : 'gradients';
  if (attack.sees === 'losses') return 'model';
  return (attack.insight?.(options).steps ?? 0) > 0 ? 'updates' : 'model';
}

// Labels, symbols and definitions of a study's mechanisms and attacks, as part of its results.

import { attacks } from '../../attacks/index.js';
import { mechanismOf, noisyNames, parameterOf } from '../../mechanisms/index.js';
import { situationIn } from '../study/situations.js';
import type { Study } from '../study/study.js';
import type { AboutAttack, AboutMechanism, Level, SetSize } from './results.js';

export const aboutMechanisms = (study: Study): AboutMechanism[] =>
  noisyNames
    .filter((name) => name in study.mechanisms)
    .map((name) => {
      const { key, symbol, ascii, moreNoise } = parameterOf(name);
      const parameter = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return { name, ...mechanismOf(name).words, parameter, symbol, ascii, moreNoise };
    });

export const aboutAttacks = (study: Study): AboutAttack[] =>
  attacks
    .filter(({ name }) => name in study.attacks)
    .map((attack) => {
      const { name, goal, measure, words } = attack;
      const { batchSize } = study.attacks[name] ?? {};
      // An attack on the trained model sees the effect of whole training batches.
      const texts = attack.sees === 'gradient' ? (batchSize ?? attack.batchSize) : study.training.batchSize;
      const own = attack.sees === 'models' ? { ownModels: true as const } : {};
      const situation = situationIn(study, name);
      return { name, label: words.label, goal, situation, measure, texts, definition: words.definition, ...own };
    });

/** The expected length of the noise on one shared gradient, protected as one vector or tensor by tensor; for `LevelResults`. */
export function noiseLengthAt(
  { mechanism, parameter }: Level,
  { sharing }: Study,
  shared: SetSize,
): { readonly noiseLength?: number } {
  if (parameter === undefined) return {};
  const vectors = sharing.scope === 'tensor' ? shared.tensors : 1;
  const noiseLength = mechanismOf(mechanism).noiseLength?.(parameter, shared.numbers, vectors);
  return noiseLength === undefined ? {} : { noiseLength };
}

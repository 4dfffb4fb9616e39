// From a study to its trials: features → train → attacks.

import { findAttack } from '../../attacks/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from '../study/inputs.js';
import { describeLevel } from '../study/levels.js';
import { makeTrial, type Trial } from './trial.js';

type Expanded = Pick<StudyInputs, 'study' | 'weights' | 'data'>;

/** Lists the trials of a study, each after those that it needs. */
export function expandStudy(inputs: Expanded, levels: readonly Level[]): readonly Trial[] {
  const { study, weights, data } = inputs;
  const { trainable, ...training } = study.training;
  const trials: Trial[] = [];
  const add = (...made: Parameters<typeof makeTrial>): string => {
    const trial = makeTrial(...made);
    trials.push(trial);
    return trial.id;
  };
  const origin = { weights, data };
  const text = { trainable, maxTokens: study.data.maxTokens };
  const features = add('features', { ...origin, ...text }, [], 'features of the frozen part');
  const attacks = Object.entries(study.attacks).map(([name, settings]) => ({ ...findAttack(name), settings }));
  const { split } = study.data;
  for (const one of levels) {
    const [level, label] = [withoutTarget(one), describeLevel(one)];
    for (const seed of study.seeds) {
      const trained = add(
        'train',
        { ...origin, ...text, ...training, level, seed },
        [features],
        `train, ${label}, seed ${seed}`,
      );
      for (const { name, sees, settings, words } of attacks) {
        if (sees !== 'losses') continue;
        const own = { sees, attack: name, settings, seed, ...(split && { split }) };
        add('attack', own, [trained], `${words.label}, ${label}, seed ${seed}`);
      }
    }
    for (const { name, sees, settings, words } of attacks) {
      if (sees !== 'gradient') continue;
      const own = { sees, attack: name, settings, ...sharingOf(inputs), level, seed: study.seeds[0] as number };
      add('attack', { ...origin, ...own }, [], `${words.label}, ${label}`);
    }
  }
  return trials;
}

/** The target from which the noise was found does not change the result. */
const withoutTarget = ({ mechanism, parameter }: Level): Level => ({
  mechanism,
  ...(parameter !== undefined && { parameter }),
});

function sharingOf({ study }: Expanded) {
  const { parameters: shared, scope, clipNorm } = study.sharing;
  return { shared, scope, clipNorm, newHead: study.training.newHead };
}

// From a study to its trials: features → train → attack → score.

import type { Level } from './analysis/results.js';
import type { StudyInputs } from './inputs.js';
import { describeLevel } from './levels.js';
import { makeTrial, type Trial } from './trial.js';

/** Every trial comes after those it needs. */
export function expandStudy(
  inputs: Pick<StudyInputs, 'study' | 'weights' | 'data'>,
  levels: readonly Level[],
): readonly Trial[] {
  const { study, weights, data } = inputs;
  const { trainable, ...training } = study.training;
  const trials: Trial[] = [];
  const add = (...made: Parameters<typeof makeTrial>): string => {
    const trial = makeTrial(...made);
    trials.push(trial);
    return trial.id;
  };
  const origin = { weights, data };
  // Decides whom members are told from.
  const { split } = study.data;
  const text = { trainable, maxTokens: study.data.maxTokens };
  const features = add('features', { ...origin, ...text }, [], 'features of the frozen part');
  // What the target was does not change the result.
  const plain = ({ mechanism, parameter: noise }: Level): Level => ({
    mechanism,
    ...(noise !== undefined && { parameter: noise }),
  });
  for (const one of levels) {
    const [level, label] = [plain(one), describeLevel(one)];
    for (const seed of study.seeds) {
      const settings = { ...origin, ...text, ...training, level, seed };
      const trained = add('train', settings, [features], `train, ${label}, seed ${seed}`);
      if (study.attacks.membership)
        add('membership', { seed, ...(split && { split }) }, [trained], `membership by loss, ${label}, seed ${seed}`);
    }
    const seed = study.seeds[0] as number;
    const { parameters: shared, scope, clipNorm } = study.sharing;
    const sharing = { shared, scope, clipNorm, newHead: study.training.newHead };
    const { span, decepticons } = study.attacks;
    if (span !== undefined) {
      const id = add('span', { ...origin, ...sharing, ...span, level, seed }, [], `span attack, ${label}`);
      add('score', {}, [id], `scores of the span attack, ${label}`);
    }
    if (decepticons !== undefined) {
      const id = add(
        'decepticons',
        { ...origin, ...sharing, ...decepticons, level, seed },
        [],
        `Decepticons, ${label}`,
      );
      add('score', {}, [id], `scores of Decepticons, ${label}`);
    }
  }
  return trials;
}

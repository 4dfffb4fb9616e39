// What results need to know of model and data when these are not at hand.

import type { Grounds } from './grounds.js';
import type { Level, StudyResults } from './results.js';

export type GroundsSummary = Pick<StudyResults, 'model' | 'data' | 'trained' | 'shared'> & {
  readonly levels: readonly Level[];
};

export function summaryOf(grounds: Grounds, levels: GroundsSummary['levels']): GroundsSummary {
  const { model, dataSet, train, test, trained, shared, weights, data } = grounds;
  const counts = dataSet.classes.map((_, label) => test.labels.filter((one) => one === label).length);
  const set = ({ selection, tensors, numbers }: Grounds['trained']) => ({ selection, tensors, numbers });
  const parameters = [...model.parameters.values()].reduce(
    (sum, { shape }) => sum + shape.reduce((size, length) => size * length, 1),
    0,
  );
  return {
    model: { name: grounds.study.model, parameters, digest: weights },
    data: {
      name: dataSet.name,
      classes: dataSet.classes,
      train: train.rows.length,
      test: test.rows.length,
      digest: data,
      majority: Math.max(...counts) / test.labels.length,
    },
    trained: set(trained),
    shared: set(shared),
    levels,
  };
}

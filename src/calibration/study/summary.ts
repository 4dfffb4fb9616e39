// What results need to know about model and data, which may no longer be there.

import { groupsByLayer } from '../../training/index.js';
import type { Level, StudyResults } from '../analysis/results.js';
import type { StudyInputs } from './inputs.js';

export type InputsSummary = Pick<StudyResults, 'model' | 'data' | 'plan' | 'trainable' | 'shared'> & {
  readonly levels: readonly Level[];
  readonly data: { readonly digest: string };
};

export function summaryOf(inputs: StudyInputs, levels: InputsSummary['levels']): InputsSummary {
  const { model, dataSet, train, test, trainable: trained, shared, weights, data } = inputs;
  const counts = dataSet.classes.map((_, label) => test.labels.filter((one) => one === label).length);
  const set = ({ selection, tensors, numbers }: StudyInputs['trainable']) => ({ selection, tensors, numbers });
  const parameters = [...model.parameters.values()].reduce(
    (sum, { shape }) => sum + shape.reduce((size, length) => size * length, 1),
    0,
  );
  return {
    model: { name: inputs.study.model, parameters, digest: weights, tokenizer: model.tokenizer.digest },
    data: {
      name: dataSet.name,
      classes: dataSet.classes,
      train: train.inputIds.length,
      test: test.inputIds.length,
      ...(inputs.validation && { validation: inputs.validation.inputIds.length }),
      digest: data,
      majority: Math.max(...counts) / test.labels.length,
    },
    ...(inputs.plan && { plan: inputs.plan }),
    trainable: { ...set(trained), layers: groupsByLayer(model, trained.names).length },
    shared: set(shared),
    levels,
  };
}

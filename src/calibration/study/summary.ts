// What results need to know about model and data, which may no longer be there.

import { attacks, sharedWith } from '../../attacks/index.js';
import { ArgumentError, FileError, readOptions } from '../../checks/index.js';
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
    shared: { ...set(shared), ...mostTensors(inputs) },
    levels,
  };
}

/** Attacks on a token loss see the gradients of the language-model head, those on the class those of the classifier. */
function mostTensors({ study, model, shared }: StudyInputs): { readonly mostTensors?: number } {
  const counts = attacks.flatMap((attack) => {
    const settings = study.attacks[attack.name];
    if (attack.sees !== 'gradient' || settings === undefined) return [];
    const own = Object.entries(settings).filter(([key]) => key in attack.options);
    const options = readOptions<typeof attack.options>(attack.options, Object.fromEntries(own));
    const setting = { model, options, batchSize: settings.batchSize ?? attack.batchSize };
    try {
      return sharedWith(attack, setting, study.sharing.parameters, settings.loss as string | undefined).length;
    } catch (error) {
      // Attacks that the model does not allow share nothing: they may be in a study of which only others are run.
      if (error instanceof ArgumentError || error instanceof FileError) return [];
      throw error;
    }
  });
  const most = Math.max(shared.tensors, ...counts);
  return most > shared.tensors ? { mostTensors: most } : {};
}

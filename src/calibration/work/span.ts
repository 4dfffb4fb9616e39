// The span attack on one sentence after the other.

import { openClient, openFirstInputs, spanAttack, spanParameters } from '../../attacks/index.js';
import { ArgumentError } from '../../checks/index.js';
import { seededSource } from '../../random/index.js';
import type { StudyInputs } from '../inputs.js';
import type { Measurement } from '../store.js';
import { noiseSeed, type TrialSettings } from '../trial.js';
import { protectionOf, recoveredFrom, sampleSentences, writeRecovered } from './recovery.js';
import type { Work } from './work.js';

/** What the attack reads and whom it attacks; throws where this model and data do not allow it. */
export function spanInputs(inputs: StudyInputs, settings: TrialSettings['span']) {
  const { model, shared } = inputs;
  const read = spanParameters({ model });
  const unseen = read.find((name) => !shared.names.includes(name));
  if (unseen !== undefined) {
    throw new ArgumentError(
      `the span attack reads ${unseen}, which is not among the shared parameters (${shared.selection})`,
    );
  }
  return { read, data: sampleSentences(inputs, model, settings.sentences, settings) };
}

export const span: Work<'span'> = async ({ settings }, { inputs, folder }) => {
  const { model, shared } = inputs;
  const { read, data } = spanInputs(inputs, settings);
  const client = await openClient({ model, data, shared: shared.names });
  const longest = data.inputIds.reduce((most, { length }) => Math.max(most, length), 1);
  const firstInputs = await openFirstInputs({ model, parameters: client.parameters }, longest);
  const protection = protectionOf(settings);
  const guesses: (readonly number[])[] = [];
  const measurements: Measurement[] = [];
  try {
    for (const item of data.inputIds.keys()) {
      const { view, cosine } = await client.share(
        [item],
        protection,
        seededSource(noiseSeed(settings, `span ${item}`)),
      );
      const { sentences } = await spanAttack(view, { inputs: firstInputs, longest });
      guesses.push(sentences[0] as readonly number[]);
      measurements.push(
        { item, name: 'sharedCosine', value: cosine.all },
        {
          item,
          name: 'readCosine',
          value: read.reduce((sum, name) => sum + (cosine.tensors[name] ?? 0), 0) / read.length,
        },
      );
    }
  } finally {
    await firstInputs.close();
    await client.close();
  }
  const sentences = data.inputIds.map((truth, item) => {
    const other = guesses.length > 1 ? guesses[(item + 1) % guesses.length] : undefined;
    return recoveredFrom(model, truth, guesses[item] as readonly number[], other);
  });
  await writeRecovered(folder, sentences);
  return { measurements, details: {} };
};

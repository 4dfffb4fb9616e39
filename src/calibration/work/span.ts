// The span attack on one sentence after the other.

import { openClient, openFirstInputs, spanAttack, spanParameters } from '../../attacks/index.js';
import { ArgumentError } from '../../math/index.js';
import { seededSource } from '../../random/index.js';
import type { Measurement } from '../store.js';
import { protectionOf, type Recovered, recoveredFrom, sampleSentences, writeRecovered } from './recovery.js';
import type { Work } from './work.js';

export const span: Work<'span'> = async ({ id, settings }, { grounds, folder }) => {
  const { model, shared } = grounds;
  const read = spanParameters({ model });
  const unseen = read.find((name) => !shared.names.includes(name));
  if (unseen !== undefined) {
    throw new ArgumentError(
      `the span attack reads ${unseen}, which is not among the shared parameters (${shared.selection})`,
    );
  }
  const data = sampleSentences(grounds, model, settings.sentences, settings);
  const client = await openClient({ model, data, shared: shared.names });
  const longest = data.rows.reduce((most, { length }) => Math.max(most, length), 1);
  const inputs = await openFirstInputs({ model, parameters: client.parameters }, longest);
  const protection = protectionOf(settings);
  const [sentences, measurements]: [Recovered[], Measurement[]] = [[], []];
  try {
    for (const [item, truth] of data.rows.entries()) {
      const { view, cosine } = await client.share([item], protection, seededSource(id).stream(`noise ${item}`));
      const { sentences: guesses } = await spanAttack(view, { inputs, longest });
      sentences.push(recoveredFrom(model, truth, guesses[0] as readonly number[]));
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
    await inputs.close();
    await client.close();
  }
  await writeRecovered(folder, sentences);
  return { measurements, details: {} };
};

// Decepticons on batches: a malicious server sends parameters, clients answer with noisy gradients of their loss.

import {
  type ClientLoss,
  clientLosses,
  decepticonsKnown,
  decepticonsRound,
  maliciousParameters,
} from '../../attacks/index.js';
import { matchTokens } from '../../metrics/index.js';
import { selectParameters } from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import type { StudyInputs } from '../inputs.js';
import type { Measurement } from '../store.js';
import { noiseSeed, type TrialSettings } from '../trial.js';
import { protectionOf, type Recovered, recoveredFrom, sampleSentences, writeRecovered } from './recovery.js';
import type { Work } from './work.js';

/** Whose gradients the server gets, and of what; throws where this model and data do not allow it. */
export function decepticonsInputs(inputs: StudyInputs, settings: TrialSettings['decepticons']) {
  const { model } = inputs;
  const [loss] = clientLosses(model);
  return {
    loss,
    data: sampleSentences(inputs, model, settings.batches * settings.sentences, settings),
    shared: selectParameters(model, settings.shared, loss === 'class' ? 'classification' : 'lm'),
  };
}

export const decepticons: Work<'decepticons'> = async ({ settings }, { inputs, folder }) => {
  const { model } = inputs;
  const { batches: count, sentences: size, attacker } = settings;
  const { loss, data, shared } = decepticonsInputs(inputs, settings);
  const known = decepticonsKnown(model.tokenizer);
  // The server is the same at every level: only the noise differs.
  const malicious = await maliciousParameters(model, {
    attacker,
    // A first token that is the same everywhere tells sentences apart by nothing.
    keyPosition: known.around.before.length,
    ...(loss === 'class' && { equalise: true }),
    random: seededSource(settings.seed).stream('server'),
  });
  const protection = protectionOf(settings);
  const batches = Array.from({ length: count }, (_, batch) => ({
    rows: data.inputIds.slice(batch * size, (batch + 1) * size),
    labels: data.labels.slice(batch * size, (batch + 1) * size),
    random: seededSource(noiseSeed(settings, `decepticons ${batch}`)),
  }));
  const found: { readonly guesses: readonly (readonly number[])[]; readonly cosine: readonly [number, number] }[] = [];
  for (const { rows, labels, random } of batches) {
    const own = (loss === 'class' ? { loss, labels } : { loss }) as ClientLoss;
    const round = await decepticonsRound({
      model,
      malicious,
      inputIds: rows,
      shared,
      loss: own,
      protection,
      random,
      known,
    });
    found.push({ guesses: round.sentences, cosine: [round.cosine.all, round.cosine.read.all] });
  }
  const [sentences, measurements]: [Recovered[], Measurement[]] = [[], []];
  for (const [batch, { rows }] of batches.entries()) {
    const { guesses, cosine } = found[batch] as (typeof found)[number];
    const others = count > 1 ? (found[(batch + 1) % count] as (typeof found)[number]).guesses : undefined;
    const [matched, unrelated] = [matchTokens(rows, guesses), others && matchTokens(rows, others)];
    for (const [place, truth] of rows.entries()) {
      const item = sentences.length;
      sentences.push(recoveredFrom(model, truth, matched[place] as readonly number[], unrelated?.[place]));
      measurements.push(
        { item, name: 'sharedCosine', value: cosine[0] },
        { item, name: 'readCosine', value: cosine[1] },
      );
    }
  }
  await writeRecovered(folder, sentences);
  return { measurements, details: { changes: malicious.changes, shared: shared.length } };
};

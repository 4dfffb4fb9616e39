// Decepticons on batches: a malicious server sends parameters, clients answer with noisy gradients of a token-level loss.

import {
  type ClientLoss,
  cosinesTo,
  decepticonsAttack,
  decepticonsParameters,
  maliciousParameters,
  protect,
  sentenceGradients,
} from '../../attacks/index.js';
import { matchGuesses, rougeL } from '../../metrics/index.js';
import { selectParameters } from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import type { Measurement } from '../store.js';
import { protectionOf, type Recovered, recoveredFrom, sampleSentences, writeRecovered } from './recovery.js';
import type { Work } from './work.js';

export const decepticons: Work<'decepticons'> = async ({ id, settings }, { grounds, folder }) => {
  const { model } = grounds;
  const { tokenizer } = model;
  const random = seededSource(id);
  const data = sampleSentences(grounds, model, settings.batches * settings.sentences, settings);
  // A first token that is the same everywhere tells sentences apart by nothing.
  const keyPosition = tokenizer.special.start === undefined ? 0 : 1;
  const text = grounds.test.rows.slice(0, 64).map((row) => row.slice(0, settings.maxTokens));
  const malicious = await maliciousParameters(model, { attacker: settings.attacker, keyPosition, text, random });
  const read = decepticonsParameters(model, malicious);
  const shared = selectParameters(model, settings.shared, 'predict');
  const loss: ClientLoss = { loss: model.rawConfig.model_type === 'gpt2' ? 'next' : 'all' };
  const protection = protectionOf(settings);
  const [sentences, measurements]: [Recovered[], Measurement[]] = [[], []];
  for (let batch = 0; batch < settings.batches; batch++) {
    const rows = data.rows.slice(batch * settings.sentences, (batch + 1) * settings.sentences);
    const examples = await sentenceGradients(model, malicious.parameters, { rows, shared, ...loss });
    const { gradients, noise } = protect(examples, protection, random.stream(`noise ${batch}`));
    const lengths = rows.map(({ length }) => length);
    const view = { model, gradients, noise, batchSize: rows.length, lengths };
    const guesses = decepticonsAttack(view, malicious).sentences;
    const similarity = (truth: readonly number[], guess: readonly number[]) =>
      rougeL(truth.map(String), guess.map(String)).f1;
    const matched = matchGuesses(rows, guesses, similarity);
    const [all, seen] = [cosinesTo(examples, gradients).all, cosinesTo(examples, gradients, read).all];
    for (const [place, truth] of rows.entries()) {
      const item = sentences.length;
      sentences.push(recoveredFrom(model, truth, guesses[matched[place] as number] ?? []));
      measurements.push({ item, name: 'sharedCosine', value: all }, { item, name: 'readCosine', value: seen });
    }
  }
  await writeRecovered(folder, sentences);
  return { measurements, details: { read, changes: malicious.changes } };
};

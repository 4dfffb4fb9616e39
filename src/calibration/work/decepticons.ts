// Decepticons on batches: a malicious server sends parameters, clients answer with noisy gradients of a token-level loss.

import { type ClientLoss, decepticonsKnown, decepticonsRound, maliciousParameters } from '../../attacks/index.js';
import { matchTokens } from '../../metrics/index.js';
import { selectParameters } from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import type { Measurement } from '../store.js';
import { protectionOf, type Recovered, recoveredFrom, sampleSentences, writeRecovered } from './recovery.js';
import type { Work } from './work.js';

export const decepticons: Work<'decepticons'> = async ({ id, settings }, { grounds, folder }) => {
  const { model } = grounds;
  const { batches, sentences: size, attacker } = settings;
  const random = seededSource(id);
  const data = sampleSentences(grounds, model, batches * size, settings);
  const known = decepticonsKnown(model.tokenizer);
  // A first token that is the same everywhere tells sentences apart by nothing.
  const keyPosition = known.around.before.length;
  const text = grounds.test.rows.slice(0, 64).map((row) => row.slice(0, settings.maxTokens));
  const malicious = await maliciousParameters(model, { attacker, keyPosition, text, random });
  const shared = selectParameters(model, settings.shared, 'predict');
  const loss: ClientLoss = { loss: model.rawConfig.model_type === 'gpt2' ? 'next' : 'all' };
  const protection = protectionOf(settings);
  const [sentences, measurements]: [Recovered[], Measurement[]] = [[], []];
  for (let batch = 0; batch < batches; batch++) {
    const rows = data.rows.slice(batch * size, (batch + 1) * size);
    const noise = random.stream(`noise ${batch}`);
    const round = await decepticonsRound({ model, malicious, rows, shared, loss, protection, random: noise, known });
    const guesses = matchTokens(rows, round.sentences);
    for (const [place, truth] of rows.entries()) {
      const item = sentences.length;
      sentences.push(recoveredFrom(model, truth, guesses[place] as readonly number[]));
      measurements.push(
        { item, name: 'sharedCosine', value: round.cosine.all },
        { item, name: 'readCosine', value: round.cosine.read.all },
      );
    }
  }
  await writeRecovered(folder, sentences);
  return { measurements, details: { changes: malicious.changes } };
};

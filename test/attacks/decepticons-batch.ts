// A client's batch under malicious parameters, from the server's message to the score, for the tests of the attack.

import {
  type ClientLoss,
  type DecepticonsView,
  decepticonsAttack,
  decepticonsParameters,
  type Malicious,
  sentenceGradients,
} from '../../src/attacks/index.js';
import { type Protection, protect } from '../../src/mechanisms/index.js';
import { matchGuesses, rougeL } from '../../src/metrics/index.js';
import type { ModelCore } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';

type Rows = readonly (readonly number[])[];

/** What a server without noise in the way would see. */
export async function shareBatch(
  model: ModelCore,
  malicious: Malicious,
  rows: Rows,
  loss: ClientLoss,
  shared: readonly string[] = decepticonsParameters(model, malicious),
): Promise<{ readonly examples: Arrays[]; readonly view: DecepticonsView }> {
  const examples = await sentenceGradients(model, malicious.parameters, { inputIds: rows, shared, ...loss });
  return { examples, view: viewOf(model, rows, examples, { mechanism: 'none' }) };
}

export function viewOf(
  model: ModelCore,
  rows: Rows,
  examples: readonly Arrays[],
  protection: Protection,
): DecepticonsView {
  const { gradients, noise } = protect(examples, protection, seededSource('noise'));
  return { model, gradients, noise, batchSize: rows.length, lengths: rows.map(({ length }) => length) };
}

/** Mean ROUGE-L over the sentences, each against the recovered one that suits it best. */
export function scoreBatch(view: DecepticonsView, malicious: Malicious, rows: Rows): number {
  const { sentences } = decepticonsAttack(view, malicious);
  const similarity = (truth: readonly number[], guess: readonly number[]) =>
    rougeL(truth.map(String), guess.map(String)).f1;
  const matched = matchGuesses(rows, sentences, similarity);
  const scores = rows.map((truth, i) => similarity(truth, sentences[matched[i] as number] as readonly number[]));
  return scores.reduce((sum, score) => sum + score, 0) / rows.length;
}

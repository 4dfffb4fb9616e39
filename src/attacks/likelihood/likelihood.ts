// The likelihood attack on one shared gradient. Tables and first block give a sentence at little cost; where it does not explain the whole
// gradient, undecided sentences climb the likelihood together, and what they find is refined, token by token.

import { ArgumentError } from '../../checks/index.js';
import { seededSource } from '../../random/index.js';
import type { SentenceNats } from '../attack.js';
import type { AttackedModel } from '../model.js';
import { findSubspace } from '../span/subspace.js';
import type { GradientView, Recovery } from '../view.js';
import { compareByPieces, compareRivals, figuresOf, type SureAnswer } from './answer.js';
import type { Evidence } from './evidence.js';
import { isHidden, isNarrow, readEvidence } from './first-answers.js';
import { heightsOf, highest } from './heights.js';
import { improve } from './improve.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import { type LikelihoodOptions, sentencePrior, type Task } from './task.js';

/** The gradient of one sentence. */
export async function likelihoodAttack(view: GradientView, options: LikelihoodOptions): Promise<Recovery> {
  if (view.batchSize !== 1) {
    throw new ArgumentError(
      `the likelihood attack was opened for one sentence per gradient, got a batch of ${view.batchSize}`,
    );
  }
  const length = view.lengths?.[0] ?? (await findLength(view, options));
  const { sure, task } = await attackOne(view, options, length);
  return {
    sentences: [[...sure.answer.tokens]],
    confidence: [sure.confidence],
    figures: await figuresOf(sure, task),
    ...notesOn(view, options, length),
  };
}

/** One sentence of this length, starting also from `given`, if there is one. */
export async function attackOne(
  view: GradientView,
  options: LikelihoodOptions,
  length: number,
  given?: readonly number[],
): Promise<{ sure: SureAnswer; task: Task }> {
  const { whole, refinement } = options;
  const { pieces, candidates, starts, label } = await readEvidence(view, options, length, given);
  const judge = (sentences: readonly (readonly number[])[]) => whole.judge(view, sentences, label);
  const priorOf = sentencePrior(options, pieces.known);
  const heights = heightsOf(judge, priorOf, refinement?.tries ?? Number.POSITIVE_INFINITY);
  const first = highest(await heights.of(starts));
  const task = { view, options, pieces, candidates, length, label, heights, random: seededSource('likelihood') };
  const effort = isHidden(first) ? undefined : refinement;
  const sure = effort
    ? await compareRivals(await improve(first, starts, task, effort), task)
    : compareByPieces(first, task);
  return { sure, task };
}

/** Limits are said, because a text that does not come back for this reason is not safe. */
export function notesOn(view: GradientView, { evidence }: LikelihoodOptions, tokens: number): Pick<Recovery, 'notes'> {
  return evidence.span && !isNarrow(view, tokens) ? { notes: [widthNote(view.model, evidence)] } : {};
}

/** What the attack maximises, for any sentences, each with the label that explains the gradient best. */
export async function judgeSentences(
  view: GradientView,
  sentences: readonly (readonly number[])[],
  options: LikelihoodOptions,
): Promise<SentenceNats[]> {
  const [first] = sentences;
  if (first === undefined) return [];
  const [best] = await options.whole.labels(view, first);
  const found: SentenceNats[] = [];
  // Only sentences of one length can be judged together: an answer of unknown length may have another.
  for (const length of new Set(sentences.map((tokens) => tokens.length))) {
    const places = [...sentences.keys()].filter((place) => sentences[place]?.length === length);
    const some = places.map((place) => sentences[place] as readonly number[]);
    const judged = await options.whole.judge(view, some, best?.label ?? 0);
    const priors = await sentencePrior(options, options.knownAt(length))(some);
    for (const [k, place] of places.entries())
      found[place] = { likelihood: judged[k]?.nats as number, prior: priors[k] as number };
  }
  return found;
}

const widthNote = ({ config: { hidden } }: AttackedModel, { tables }: Evidence): string =>
  `The first block says nothing about texts with as many tokens as the model is wide (${hidden}): ${tables ? 'the word and position tables and the whole gradient were read' : 'only the whole gradient was read, which finds long texts only with much effort'}.`;

/** Where the tables speak, the length up to which places are occupied; otherwise the rank of the span. */
async function findLength(view: GradientView, { evidence, longest }: LikelihoodOptions): Promise<number> {
  if (!evidence.tables) {
    const { rank } = await findSubspace(view, Math.min(longest, view.model.config.hidden), false);
    return Math.min(longest, Math.max(1, rank));
  }
  const { occupied } = tableEvidence(await tableProducts(view, longest));
  let [length, sum, most] = [1, 0, Number.NEGATIVE_INFINITY];
  for (const [place, nats] of occupied.entries()) {
    sum += nats;
    if (sum > most) [length, most] = [place + 1, sum];
  }
  return length;
}

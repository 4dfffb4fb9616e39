// The likelihood attack on the sum over several sentences. Given the others, a sentence is attacked as if it were alone: what they explain is
// subtracted, and the likelihood of what is left is that of the whole batch. Sentences take turns until none changes; before each round, pairs
// exchange tokens that may belong to the other.

import { ArgumentError } from '../../checks/index.js';
import { normOf, type ReleasedGroup } from '../../mechanisms/index.js';
import type { Arrays } from '../../training/index.js';
import type { SentenceGradients } from '../decepticons/client.js';
import type { SecondInputs } from '../span/second-inputs.js';
import { spanAttack } from '../span/span.js';
import type { GradientView, Recovery } from '../view.js';
import type { SureAnswer } from './answer.js';
import { bestTogether, exchange, leftOf, type Part } from './exchange.js';
import { withKnown } from './first-answers.js';
import { attackOne, notesOn } from './likelihood.js';
import { isExplained } from './refine.js';
import type { KnownLoss } from './sentence-products.js';
import type { LikelihoodOptions } from './task.js';

/** Turns of every sentence at most. */
const mostRounds = 4;

export async function batchAttack(view: GradientView, options: BatchOptions): Promise<Recovery> {
  const lengths = lengthsOf(view);
  const laws = singleLaws(view);
  const computed = (tokens: readonly number[], label: number) => boundedGradients(options, laws, tokens, label);
  let parts: (Part | undefined)[] = await spanParts(view, options, laws);
  const sure: SureAnswer[] = [];
  let [tries, rounds, changed] = [0, 0, true];
  while (changed && rounds < mostRounds && !(rounds > 0 && sure.every(({ answer }) => isExplained(answer)))) {
    const exchanged = parts.every((part) => part !== undefined)
      ? await exchange(view, parts as Part[], computed)
      : parts;
    changed = exchanged !== parts;
    parts = [...exchanged];
    rounds++;
    for (const [place, length] of lengths.entries()) {
      const before = parts[place];
      const others = parts.filter((part, other): part is Part => other !== place && part !== undefined);
      const left = without(view, laws, others, place);
      const { sure: found, task } = await attackOne(left, options, length, before?.tokens);
      const { label } = task;
      const { tokens } = found.answer;
      tries += task.heights.all().length;
      sure[place] = found;
      if (before?.label === label && before.tokens.join() === tokens.join()) continue;
      changed = true;
      parts[place] = { tokens, label, gradients: await computed(tokens, label) };
    }
  }
  const misfits = sure.map(({ answer }) => answer.misfit).filter((misfit) => Number.isFinite(misfit));
  return {
    sentences: sure.map(({ answer }) => [...answer.tokens]),
    confidence: sure.map(({ confidence }) => confidence),
    figures: { rounds, tries, ...(misfits.length > 0 && { misfit: Math.max(...misfits) }) },
    ...notesOn(
      view,
      options,
      lengths.reduce((sum, length) => sum + length, 0),
    ),
  };
}

function lengthsOf({ lengths, batchSize }: GradientView): readonly number[] {
  if (lengths?.length === batchSize) return lengths;
  throw new ArgumentError(
    `the likelihood attack needs the lengths of all ${batchSize} sentences of a batch, got ${lengths?.length ?? 'none'}`,
  );
}

export interface BatchOptions extends LikelihoodOptions {
  readonly loss: KnownLoss;
  /** The client's own computation, for one sentence. */
  readonly gradients: SentenceGradients;
  /** Present if what the span of a batch needs is shared. */
  readonly secondInputs?: SecondInputs;
}

/** What the span of the batch says, with the labels that explain the sum best; nothing where the span does not speak. */
async function spanParts(view: GradientView, options: BatchOptions, laws: Laws): Promise<(Part | undefined)[]> {
  const lengths = lengthsOf(view);
  const { inputs, secondInputs, prior, whole } = options;
  const all = lengths.reduce((sum, length) => sum + length, 0);
  if (secondInputs === undefined || all >= view.model.config.hidden) return lengths.map(() => undefined);
  const { sentences } = await spanAttack(view, { inputs, secondInputs });
  const lists: Part[][] = [];
  for (const [place, guess] of sentences.entries()) {
    const tokens = withKnown(guess, { known: options.knownAt(guess.length), prior });
    const possible = await whole.labels(without(view, laws, [], place), tokens);
    const list: Part[] = [];
    for (const { label } of possible)
      list.push({ tokens, label, gradients: await boundedGradients(options, laws, tokens, label) });
    lists.push(list);
  }
  return bestTogether(view, lists);
}

type Laws = readonly ReleasedGroup[];

/** The laws of one sentence's share of the sum. Directions are drawn for each sentence, so that their sum is nearly normal around its mean. */
function singleLaws({ laws, gradients, batchSize }: GradientView): Laws {
  if (laws === undefined) {
    throw new ArgumentError(
      'the likelihood attack on a batch needs to know how gradients were bounded and noised, which this file does not say: share one sentence at a time, or use the span attack',
    );
  }
  return laws.map(({ concentration, ...law }) => {
    if (concentration === undefined) return law;
    const numbers = law.names.reduce((sum, name) => sum + (gradients[name]?.length ?? 0), 0);
    const mean = Math.sqrt(Math.max(0, 1 - (numbers * law.deviation ** 2) / batchSize));
    return { ...law, bound: { kind: 'normalise', norm: mean } };
  });
}

/** The view of the sentence at `place`: what is left of the sum once these other sentences are subtracted. */
function without(view: GradientView, laws: Laws, parts: readonly Part[], place: number): GradientView {
  const { labels, lengths, ...rest } = view;
  const own = (all: readonly number[] | undefined) => [all?.[place] as number];
  return {
    ...rest,
    gradients: leftOf(view, parts),
    laws,
    batchSize: 1,
    lengths: own(lengths),
    ...(labels && { labels: own(labels) }),
  };
}

/** The gradient of a sentence, clipped or scaled as the protocol says. */
async function boundedGradients(
  { loss, gradients }: BatchOptions,
  laws: Laws,
  tokens: readonly number[],
  label: number,
): Promise<Arrays> {
  const [own] = (await gradients.of([tokens], loss === 'class' ? { loss, labels: [label] } : { loss })) as [Arrays];
  for (const { names, bound } of laws) {
    if (bound === undefined) continue;
    const norm = Math.hypot(...names.map((name) => normOf(own[name] ?? new Float32Array(0))));
    const factor = bound.kind === 'clip' ? Math.min(1, bound.norm / norm) : bound.norm / norm;
    for (const name of names) {
      const numbers = own[name] ?? new Float32Array(0);
      for (let i = 0; i < numbers.length; i++) numbers[i] = factor * (numbers[i] as number);
    }
  }
  return own;
}

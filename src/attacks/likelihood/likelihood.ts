// The likelihood attack on one shared gradient. Tables and first block give a sentence at little cost; where it does not explain the whole
// gradient, undecided sentences climb the likelihood together, and what they find is refined, token by token.

import { ArgumentError } from '../../checks/index.js';
import { type SeededSource, seededSource } from '../../random/index.js';
import type { SentenceNats } from '../attack.js';
import { type AttackedModel, tokensAroundText } from '../model.js';
import type { FirstInputs } from '../span/inputs.js';
import { shortlist } from '../span/shortlist.js';
import { spanAttack } from '../span/span.js';
import { findSubspace, inputGram } from '../span/subspace.js';
import type { GradientView, Recovery } from '../view.js';
import { type Candidates, candidatesFor, freePlaces } from './candidates.js';
import { certainty, logOddsAt } from './certainty.js';
import type { Evidence } from './evidence.js';
import type { Flips } from './flips.js';
import { type Heights, heightsOf, highest, type Tried } from './heights.js';
import type { SentencePrior } from './language-prior.js';
import { type Move, moved, topTokens } from './moves.js';
import { outerNats, type Pieces, placesOf } from './objective.js';
import { changeOf } from './pair-moves.js';
import { climb, isExplained, refine } from './refine.js';
import { ascend, fill } from './search.js';
import type { SoftAnswer, SoftSearch } from './soft-search.js';
import { spanEvidence } from './span-evidence.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import type { WholeLikelihood } from './whole.js';

/** What stays open between gradients. */
export interface LikelihoodOptions {
  readonly evidence: Evidence;
  readonly inputs: FirstInputs;
  /** Log-probability of each token. */
  readonly prior: Float64Array;
  /** Log-probability of whole sentences, if a language model gives it. */
  readonly language?: SentencePrior;
  /** The longest sentence to look for if the length is unknown. */
  readonly longest: number;
  /** The likelihood of the whole gradient of a sentence. */
  readonly whole: WholeLikelihood;
  /** How answers are improved, and how many sentences may be judged. */
  readonly refinement?: { readonly flips: Flips; readonly soft: SoftSearch; readonly tries: number };
}

export async function likelihoodAttack(view: GradientView, options: LikelihoodOptions): Promise<Recovery> {
  const { whole, refinement } = options;
  if (view.batchSize !== 1) {
    throw new ArgumentError(`the likelihood attack reads one sentence at a time, got a batch of ${view.batchSize}`);
  }
  const length = view.lengths?.[0] ?? (await findLength(view, options));
  const { pieces, candidates, starts } = await readPieces(view, options, length);
  const label = await chooseLabel(view, options, pieces, starts[0] as readonly number[]);
  const judge = (sentences: readonly (readonly number[])[]) => whole.judge(view, sentences, label);
  const priorOf = sentencePrior(options, pieces.known);
  const heights = heightsOf(judge, priorOf, refinement?.tries ?? Number.POSITIVE_INFINITY);
  const first = highest(await heights.of(starts));
  const task = { view, options, pieces, candidates, length, label, heights, random: seededSource('likelihood') };
  const answer = refinement === undefined ? first : await improve(first, starts, task, refinement);
  return {
    sentences: [[...answer.tokens]],
    confidence: [await sureness(answer, task)],
    figures: await figuresOf(answer, task),
    ...(options.evidence.span && pieces.span === undefined && { notes: [widthNote(view.model, options.evidence)] }),
  };
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
  const label = best?.label ?? 0;
  const judged = await options.whole.judge(view, sentences, label);
  const priors = await sentencePrior(options, tokensAroundText(view.model.tokenizer, first.length))(sentences);
  return judged.map(({ nats }, k) => ({ likelihood: nats, prior: priors[k] as number }));
}

/** Limits are said, because a text that does not come back for this reason is not safe. */
const widthNote = ({ config: { hidden } }: AttackedModel, { tables }: Evidence): string =>
  `The first block says nothing about texts with as many tokens as the model is wide (${hidden}): ${tables ? 'the word and position tables and the whole gradient were read' : 'only the whole gradient was read, which finds long texts only with much effort'}.`;

interface Task {
  readonly view: GradientView;
  readonly options: LikelihoodOptions;
  readonly pieces: Pieces;
  readonly candidates: Candidates;
  readonly length: number;
  readonly label: number;
  readonly heights: Heights;
  readonly random: SeededSource;
}

/** What tables, first block and prior say, and the sentences that they prefer: one from nothing, one from the span's answer. */
async function readPieces(view: GradientView, { evidence, inputs, prior }: LikelihoodOptions, length: number) {
  const known = tokensAroundText(view.model.tokenizer, length);
  const tables = evidence.tables ? tableEvidence(await tableProducts(view, length)) : undefined;
  // With as many tokens as the model is wide, all vectors lie in the span.
  const narrow = evidence.span && length < view.model.config.hidden;
  const span = narrow ? spanEvidence(inputs, await inputGram(view)) : undefined;
  const pieces: Pieces = { prior, known, ...(tables && { tables }), ...(span && { span }) };
  const guess = narrow ? await spanAttack({ ...view, lengths: [length] }, { inputs }) : undefined;
  const candidates = candidatesFor(pieces, guess?.shortlists, length);
  const from: number[][] = [];
  if (tables !== undefined || guess === undefined) from.push(fill(pieces, candidates, length));
  if (guess !== undefined) from.push(withKnown(guess.sentences[0] as readonly number[], pieces));
  const climbed = from.map((start) => ascend(pieces, candidates, start).tokens);
  return { pieces, candidates, starts: [...new Map(climbed.map((tokens) => [tokens.join(), tokens])).values()] };
}

/** Log-probabilities of whole sentences: by the language model, or token by token. */
function sentencePrior({ language, prior }: LikelihoodOptions, known: Pieces['known']) {
  return async (sentences: readonly (readonly number[])[]): Promise<ArrayLike<number>> =>
    language?.nats(sentences) ?? sentences.map((tokens) => outerNats({ prior, known }, tokens));
}

/** Steps after which undecided sentences show which label they need. */
const firstSteps = 8;

/** The label of the client's sentence. A sentence that explains little does not show it, so undecided ones climb a little with each. */
async function chooseLabel(
  view: GradientView,
  { whole, refinement }: LikelihoodOptions,
  pieces: Pieces,
  first: readonly number[],
): Promise<number> {
  const ranked = await whole.labels(view, first);
  const best = ranked[0]?.label ?? 0;
  if (ranked.length === 1 || refinement === undefined) return best;
  const [judged] = await whole.judge(view, [first], best);
  if (judged !== undefined && isExplained(judged)) return best;
  const labels = ranked.slice(0, refinement.soft.rows).map(({ label }) => label);
  const start = { ...softStart(pieces, first.length), labels, steps: firstSteps };
  const { sentences } = await refinement.soft.run(view, start, seededSource('label'));
  let [chosen, most] = [best, Number.NEGATIVE_INFINITY];
  for (const [row, tokens] of sentences.entries()) {
    const label = labels[row] ?? best;
    const nats = (await whole.judge(view, [tokens], label))[0]?.nats ?? Number.NEGATIVE_INFINITY;
    if (nats > most) [chosen, most] = [label, nats];
  }
  return chosen;
}

async function improve(
  first: Tried,
  starts: readonly (readonly number[])[],
  task: Task,
  { flips, soft, tries }: NonNullable<LikelihoodOptions['refinement']>,
): Promise<Tried> {
  const { view, pieces, candidates, length, label, heights, random } = task;
  const options = {
    heights,
    free: freePlaces(pieces, length),
    random,
    candidates: offered(pieces, candidates),
    otherwise: (tokens: readonly number[]) => {
      if (pieces.tables === undefined) return undefined;
      const places = placesOf(tokens);
      return (move: Move) => changeOf(pieces, tokens, places, new Map(move));
    },
    promises: async (tokens: readonly number[]) => {
      const slopes = await flips.of(view, tokens, label);
      return slopes.map((row, place) =>
        row.map((nats, token) => nats + commoner(pieces, token, tokens[place] as number)),
      );
    },
  };
  const near = await climb(first, options, Math.ceil(nearShare * tries));
  if (isExplained(near)) return near;
  const found = await soft.run(view, { ...softStart(pieces, length), labels: [label] }, random);
  const all = [near.tokens, ...starts, ...found.sentences];
  return refine(all, { ...options, candidates: offered(pieces, candidates, found) });
}

/** The share of all tries that goes to changes of what tables and first block found, before undecided sentences climb. */
const nearShare = 0.25;

/** How much more common one token is than another, in nats. */
const commoner = ({ prior }: Pieces, token: number, than: number): number =>
  (prior[token] ?? Number.NEGATIVE_INFINITY) - (prior[than] ?? 0);

/** Undecided sentences start at what tables and prior say of each place by itself. */
function softStart({ tables, prior, known }: Pieces, length: number) {
  const logs = Array.from({ length }, (_, place) => {
    const single = tables?.single(place);
    return prior.map((nats, token) => nats + (single?.[token] ?? 0));
  });
  return { logs, known, prior };
}

/** Tokens that are tried at a place beside those that promise most: what pieces and undecided sentences prefer there. */
function offered({ prior }: Pieces, candidates: Candidates, found?: SoftAnswer) {
  const [few, fewer] = [12, 4];
  const possible = (token: number) => Number.isFinite(prior[token]);
  const lists = candidates.at.map((named, place) => {
    const soft = found?.sentences.flatMap((_, row) => topTokens(found.logs(row, place), row === 0 ? few : fewer)) ?? [];
    return [...new Set([...soft, ...named])].filter(possible);
  });
  return (place: number): readonly number[] => lists[place] ?? [];
}

/** Tokens judged at each place to tell how sure the answer is. */
const rivals = 2;

async function sureness(answer: Tried, task: Task): Promise<number[]> {
  const { view, options, pieces, candidates, length, label, heights } = task;
  const free = freePlaces(pieces, length);
  const slopes = await options.refinement?.flips.of(view, answer.tokens, label);
  const others = free.flatMap((place) => {
    const own = answer.tokens[place] as number;
    const promised = slopes?.[place]?.map((nats, token) => nats + commoner(pieces, token, own));
    const named = [...(promised ? topTokens(promised, rivals) : []), ...(candidates.at[place] ?? []).slice(0, rivals)];
    return [...new Set(named)].filter((token) => token !== own).map((token) => moved(answer.tokens, [[place, token]]));
  });
  const judged = heightsOf(
    (sentences) => options.whole.judge(view, sentences, label),
    sentencePrior(options, pieces.known),
    Number.POSITIVE_INFINITY,
  );
  const tried = [...heights.all(), ...(await judged.of(others.filter((tokens) => !heights.has(tokens))))];
  const odds = logOddsAt(answer, tried, free);
  return answer.tokens.map((_, place) =>
    pieces.known.has(place)
      ? 1
      : certainty({ logOdds: odds.get(place) ?? 0, misfit: answer.misfit, unexplained: answer.unexplained }),
  );
}

/** Nats of the answer by evidence: what each part of the gradient contributes, and the prior. */
async function figuresOf(answer: Tried, { view, options: { whole }, label, heights }: Task) {
  const { embeddings, blocks } = view.model.layout;
  const tables = new Set([embeddings.words.weight, embeddings.positions.weight, embeddings.tokenTypes?.weight]);
  const groups = view.model.layout.parameterGroups;
  const inBlocks = new Set(groups.filter((group) => blocks.some(({ query }) => group.includes(query.weight))).flat());
  const figures = { tableNats: 0, blockNats: 0, headNats: 0 };
  for (const [name, nats] of await whole.byTensor(view, answer.tokens, label)) {
    const part = tables.has(name) ? 'tableNats' : inBlocks.has(name) ? 'blockNats' : 'headNats';
    figures[part] += nats;
  }
  return {
    ...figures,
    wholeNats: answer.nats,
    priorNats: answer.prior,
    ...(Number.isFinite(answer.misfit) && { misfit: answer.misfit }),
    tries: heights.all().length,
  };
}

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

/** The span's guess, with known tokens in place and impossible ones replaced by the most common. */
function withKnown(guess: readonly number[], { known, prior }: Pieces): number[] {
  const [common] = shortlist(Float32Array.from(prior)) as [number];
  return guess.map((token, place) => known.get(place) ?? (Number.isFinite(prior[token]) ? token : common));
}

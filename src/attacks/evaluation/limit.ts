// How near an answer is to the best that the attack's likelihood allows. The evaluation holds the truth and judges it on the same view
// as the answer; the attack never gets it.

import type { Tokenizer } from '../../data/index.js';
import { seededSource } from '../../random/index.js';
import type { Judge, OpenGradientAttack, SentenceNats } from '../attack.js';
import { tokensAround } from '../model.js';
import type { GradientView } from '../view.js';
import { drawGames, type GenieGame, type GenieTally, othersIn, tallyGames } from './genie.js';

/** Truth and answer by the attack's own objective. */
export interface SearchLimit {
  readonly truth: SentenceNats;
  readonly answer: SentenceNats;
  /** Whether the truth is likelier than the answer: a better search would have found more. */
  readonly searchFailed: boolean;
}

/** Rounding makes two equal sentences differ by less than this. */
const tolerance = 1e-6;

/** What the judge says of one answer. */
interface Judged {
  readonly limit: SearchLimit;
  readonly genie?: GenieTally;
}

/** Judges the answer to a batch of one sentence. */
export type JudgeRound = (batch: number, view: GradientView, answer: readonly number[]) => Promise<Judged>;

interface JudgedTask {
  readonly tokenizer: Tokenizer;
  /** The true sentences, one per batch. */
  readonly truths: readonly (readonly number[])[];
  /** Places per text for the genie. */
  readonly genie: number;
  readonly seed: number;
}

/** Undefined if the attack has no objective. */
export function judgeFor(
  { judge }: Pick<OpenGradientAttack, 'judge'>,
  { tokenizer, truths, genie, seed }: JudgedTask,
): JudgeRound | undefined {
  if (judge === undefined) return undefined;
  const around = tokensAround(tokenizer);
  return (batch, view, answer) => {
    const truth = truths[batch] as readonly number[];
    // The same places and tokens at every noise level, so that levels can be compared.
    const random = seededSource(seed).stream(`genie ${batch}`);
    return judgeAnswer(judge, view, { truth, answer }, drawGames(judge.unigram, truth, around, genie, random));
  };
}

/** Judges truth, answer and what the genie must choose from in one call, because many sentences at once cost far less. */
async function judgeAnswer(
  { nats }: Judge,
  view: GradientView,
  { truth, answer }: { readonly truth: readonly number[]; readonly answer: readonly number[] },
  games: readonly GenieGame[],
): Promise<Judged> {
  const [ofTruth, ofAnswer, ...others] = await nats(view, [truth, answer, ...othersIn(truth, games)]);
  const [known, found] = [ofTruth as SentenceNats, ofAnswer as SentenceNats];
  const likelihoods = others.map(({ likelihood }) => likelihood);
  return {
    limit: { truth: known, answer: found, searchFailed: heightOf(known) > heightOf(found) + tolerance },
    ...(games.length > 0 && { genie: tallyGames(known.likelihood, games, likelihoods) }),
  };
}

const heightOf = ({ likelihood, prior }: SentenceNats): number => likelihood + prior;

/** In how many of the judged texts the truth is likelier than the answer: there the search failed. */
export interface SearchFailures {
  readonly failed: number;
  readonly texts: number;
}

/** Undefined if no text was judged. */
export function searchFailures(limits: readonly (SearchLimit | undefined)[]): SearchFailures | undefined {
  const judged = limits.filter((limit) => limit !== undefined);
  if (judged.length === 0) return undefined;
  return { failed: judged.filter(({ searchFailed }) => searchFailed).length, texts: judged.length };
}

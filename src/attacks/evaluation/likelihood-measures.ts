// What is measured beside the scores where an attack has a likelihood: how sure it may be, and how near it came to what can be known.

import { seededSource } from '../../random/index.js';
import type { GradientAttack } from '../attack.js';
import { type AttackedModel, tokensAround } from '../model.js';
import { type Certainty, certaintyOf } from './certainty.js';
import { type GenieResult, genieResult } from './genie.js';
import { type SearchFailures, searchFailures } from './limit.js';
import type { RecoveredSentence } from './recovered.js';

/** Measures of attacks that have a likelihood. */
export interface LikelihoodMeasures {
  /** How sure the attack is, and whether it may be; only if its confidence is a probability. */
  readonly certainty?: Certainty;
  /** In how many texts the search failed; only if the attack has an objective and attacks one sentence at a time. */
  readonly search?: SearchFailures;
  /** How a genie that knows every other token of a text did; only if it was asked. */
  readonly genie?: GenieResult;
}

export function measureLikelihood(
  attack: GradientAttack,
  { tokenizer }: Pick<AttackedModel, 'tokenizer'>,
  sentences: readonly RecoveredSentence[],
  seed: number,
): LikelihoodMeasures {
  const random = (name: string) => seededSource(seed).stream(name);
  const isProbability = attack.confidence === 'probability';
  const certainty = isProbability && certaintyOf(random('certainty'), sentences, tokensAround(tokenizer));
  const search = searchFailures(sentences.map(({ limit }) => limit));
  const tallies = sentences.flatMap((one) => one.genie ?? []);
  const genie = genieResult(random('genie'), tallies);
  return { ...(certainty && { certainty }), ...(search && { search }), ...(genie && { genie }) };
}

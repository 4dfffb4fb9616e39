// One round between a malicious server and the client that answers it: what is shared, what is read from it.

import type { Tokenizer } from '../../data/index.js';
import { type Protection, protect } from '../../mechanisms/index.js';
import type { RandomSource } from '../../random/index.js';
import { cosinesTo, type SharedCosine } from '../cosines.js';
import { type ClientInputs, type ClientLoss, sentenceGradients } from './client.js';
import {
  type DecepticonsOptions,
  type DecepticonsRecovery,
  decepticonsAttack,
  decepticonsParameters,
} from './decepticons.js';
import type { Target } from './layout.js';
import type { Malicious } from './parameters.js';

export interface RoundOptions extends ClientInputs {
  readonly model: Target;
  readonly malicious: Malicious;
  readonly loss: ClientLoss;
  readonly protection: Protection;
  /** Of the noise. */
  readonly random: RandomSource;
  /** What everybody knows of the text. */
  readonly known: DecepticonsOptions;
  readonly onShared?: () => void;
}

export interface Round extends DecepticonsRecovery {
  /** Of what was shared to the true gradient: of all of it, and of what the attack reads. Not for the attacker. */
  readonly cosine: { readonly all: number; readonly read: SharedCosine };
  readonly seconds: { readonly client: number; readonly attack: number };
}

export async function decepticonsRound(options: RoundOptions): Promise<Round> {
  const { model, malicious, inputIds: rows, shared, loss, protection, random, known, onShared } = options;
  const start = performance.now();
  const examples = await sentenceGradients(model, malicious.parameters, { inputIds: rows, shared, ...loss });
  const { gradients, noise } = protect(examples, protection, random);
  onShared?.();
  const begin = performance.now();
  const view = { model, gradients, noise, batchSize: rows.length, lengths: rows.map(({ length }) => length) };
  const found = decepticonsAttack(view, malicious, known);
  const end = performance.now();
  const cosine = {
    all: cosinesTo(examples, gradients).all,
    read: cosinesTo(examples, gradients, decepticonsParameters(model, malicious)),
  };
  return { ...found, cosine, seconds: { client: (begin - start) / 1000, attack: (end - begin) / 1000 } };
}

/** What a tokenizer puts around every text, and how many tokens it has. */
export function knownOf(tokenizer: Tokenizer): Required<DecepticonsOptions> {
  const [body] = tokenizer.encode('a', { special: false });
  const all = tokenizer.encode('a');
  const place = all.indexOf(body as number);
  const around = { before: all.slice(0, place), after: all.slice(place + all.length - tokenizer.added) };
  return { around, tokens: tokenizer.size };
}

// The descriptor of the likelihood attack: what it needs, what it keeps open, its options and words.

import { ArgumentError, option, say, setting } from '../../checks/index.js';
import { loadModel, type Model } from '../../models/index.js';
import type { GradientAttack } from '../attack.js';
import type { ClientLossName } from '../client-loss.js';
import { openSentenceGradients } from '../decepticons/client.js';
import { clientLosses } from '../decepticons/losses.js';
import { type AttackedModel, tokensAroundText, wholeModel } from '../model.js';
import { spanParameters } from '../span/first-block.js';
import { openFirstInputs } from '../span/inputs.js';
import { openSecondInputs } from '../span/second-inputs.js';
import { reachOf, unknownLengthsOption } from '../unknown-lengths.js';
import { batchAttack } from './batch.js';
import { type Evidence, evidenceIn, expectFirstEvidence } from './evidence.js';
import { openFlips } from './flips.js';
import { openSentencePrior } from './language-prior.js';
import { judgeSentences, likelihoodAttack } from './likelihood.js';
import { type PriorSource, type Unigram, unigram } from './prior.js';
import type { KnownLoss } from './sentence-products.js';
import { openSoftSearch } from './soft-search.js';
import { openWhole } from './whole.js';

const options = {
  unknownLengths: unknownLengthsOption,
  unknownSpecialTokens: {
    type: 'boolean',
    default: false,
    help: 'the attacker does not know whether special tokens stand around a text, as where a client cuts texts without their last one',
  },
  prior: {
    type: 'choice',
    choices: ['model', 'rank', 'uniform'],
    default: 'model',
    help: 'how common tokens are: as the attacked model predicts where it sees no text (rank if it predicts no tokens), by rank in the vocabulary, or all alike',
  },
  languageModel: {
    type: 'model',
    help: 'a causal language model of the same vocabulary, whose probability of a whole text replaces that of its tokens, such as bundled:gpt2-mini for bundled models',
  },
  refinement: {
    type: 'choice',
    choices: ['none', 'quick', 'full'],
    default: 'full',
    help: 'how much effort goes into improving an answer by the whole gradient: none (tables and first block only), quick or full',
  },
} as const;

export const likelihood: GradientAttack<typeof options> = {
  name: 'likelihood',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'curious',
  words: {
    label: 'likelihood',
    help: 'recover text from everything that a gradient shows, tables, blocks and head, by one likelihood: slower than span, and under more noise',
    definition:
      'A curious server sees the gradient of one sentence. It looks for the sentence that makes this gradient most likely, given the size of the noise and how common words are.',
    reference: 'ours',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 1,
  confidence: 'probability',
  shares: 'all',
  // Which tokens a client hides is its secret, so the masked loss cannot be computed again.
  losses: ({ model }) => ['class', ...clientLosses(model).filter((loss) => loss === 'next' || loss === 'all')],
  hidesLengths: ({ unknownLengths }) => unknownLengths,
  check: ({ model, options: { refinement, unknownLengths }, batchSize }, shared) => {
    if (batchSize > 1 && unknownLengths) {
      throw new ArgumentError(
        say`the likelihood attack needs the lengths of the sentences in a batch of ${batchSize}: leave out ${option('unknownLengths')}, or use ${setting('batchSize', 1)}`,
      );
    }
    expectEnough(model, evidenceIn(model, shared), { refinement, unknownLengths });
  },
  open: async ({
    model,
    options: { unknownLengths, unknownSpecialTokens, prior: wanted, languageModel, refinement },
    batchSize,
    longest,
    loss,
    shared,
  }) => {
    const reach = reachOf(model, longest, unknownLengths);
    const evidence = evidenceIn(model, shared, loss);
    expectEnough(model, evidence, { refinement, unknownLengths });
    const prior = await unigram(model, wanted as PriorSource, { special: unknownSpecialTokens });
    const language = languageModel === undefined ? undefined : openSentencePrior(await loadModel(languageModel), model);
    const inputs = await openFirstInputs({ model, parameters: {} }, reach);
    const reads = readable(model, shared ?? evidence.reads, loss);
    const [target, known] = [wholeModel(model), loss as KnownLoss];
    const whole = openWhole(target, reads, known);
    const effort = efforts[refinement as keyof typeof efforts];
    const improving = effort && {
      flips: openFlips(target, reads, known),
      soft: openSoftSearch(target, reads, known, effort),
      tries: effort.tries,
    };
    const kept = {
      evidence,
      inputs,
      prior: prior.logs,
      longest: reach,
      whole,
      knownAt: (length: number) => (unknownSpecialTokens ? new Map() : tokensAroundText(model.tokenizer, length)),
      ...(language && { language }),
      ...(improving && { refinement: improving }),
    };
    const batch = batchSize > 1 ? { ...kept, loss: known, ...(await openBatch(target, reads, batchSize)) } : undefined;
    return {
      reads,
      run: (view) => (batch ? batchAttack(view, batch) : likelihoodAttack(view, kept)),
      judge: { nats: (view, sentences) => judgeSentences(view, sentences, kept), unigram: prior.logs },
      about: about(evidence, reads, prior, language !== undefined),
      close: async () => {
        for (const one of [
          whole,
          improving?.flips,
          improving?.soft,
          language,
          inputs,
          batch?.gradients,
          batch?.secondInputs,
        ])
          await one?.close();
      },
    };
  },
};

/** What a batch needs besides: the client's computation, and the second block if the span can be read. */
async function openBatch(model: Model, reads: readonly string[], batchSize: number) {
  const gradients = await openSentenceGradients(model, {}, reads);
  const spanned = spanParameters({ model, shared: reads }, batchSize).every((name) => reads.includes(name));
  return { gradients, ...(spanned && { secondInputs: openSecondInputs({ model, parameters: {} }) }) };
}

/** Throws an ArgumentError if these options need tables or first block, and neither is shared. */
function expectEnough(
  model: AttackedModel,
  evidence: Evidence,
  { refinement, unknownLengths }: { readonly refinement: string; readonly unknownLengths: boolean },
): void {
  if (refinement === 'none') expectFirstEvidence(model, evidence, 'the likelihood attack without refinement');
  if (unknownLengths) expectFirstEvidence(model, evidence, 'finding the length of a sentence');
}

/** How much a refinement may cost: undecided sentences that climb at once, their steps, and sentences that are judged. */
const efforts = {
  none: undefined,
  quick: { rows: 1, steps: 32, tries: 192 },
  full: { rows: 4, steps: 60, tries: 1024 },
} as const;

/** The shared parameters that get a gradient from this loss: all of them tell something about a whole sentence. */
function readable(model: AttackedModel, shared: readonly string[], loss: ClientLossName): readonly string[] {
  const used = new Set(wholeModel(model).parametersOf(loss === 'class' ? 'classification' : 'lm'));
  return shared.filter((name) => used.has(name));
}

const priorWords: Readonly<Record<PriorSource, string>> = {
  model: 'what the model predicts where it sees no text',
  rank: 'ranks in the vocabulary',
  uniform: 'nothing (all tokens alike)',
};

function about({ tables, span, silent }: Evidence, reads: readonly string[], { source }: Unigram, language: boolean) {
  const first = [...(tables ? ['the word and position tables'] : []), ...(span ? ['the first attention block'] : [])];
  const found = first.length === 0 ? '' : `${first.join(' and ')}, then `;
  const prior = language
    ? 'how likely the text is by the language model'
    : `how common tokens are, from ${priorWords[source]}`;
  const lines = [
    `Evidence: ${found}all ${reads.length} shared tensors that this loss reaches; ${prior}.`,
    ...(silent === undefined ? [] : [`The word and position tables do not name tokens: ${silent}.`]),
  ];
  return { lines, data: { tables, span, tensors: reads.length, prior: source, languageModel: language } };
}

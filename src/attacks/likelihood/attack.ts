// The descriptor of the likelihood attack: what it needs, what it keeps open, its options and words.

import { ArgumentError, say, setting } from '../../checks/index.js';
import type { GradientAttack } from '../attack.js';
import type { ClientLossName } from '../client-loss.js';
import { clientLosses } from '../decepticons/losses.js';
import { type AttackedModel, wholeModel } from '../model.js';
import { openFirstInputs } from '../span/inputs.js';
import { reachOf, unknownLengthsOption } from '../unknown-lengths.js';
import { type Evidence, evidenceIn } from './evidence.js';
import { knownTokens, likelihoodAttack } from './likelihood.js';
import { outerNats } from './objective.js';
import { type PriorSource, type Unigram, unigram } from './prior.js';
import { openWhole } from './whole.js';

const options = {
  unknownLengths: unknownLengthsOption,
  prior: {
    type: 'choice',
    choices: ['model', 'rank', 'uniform'],
    default: 'model',
    help: 'how common tokens are: as the attacked model predicts where it sees no text (rank if it predicts no tokens), by rank in the vocabulary, or all alike',
  },
  tries: {
    type: 'integer',
    least: 0,
    default: 256,
    help: 'sentences of which the head’s gradient is computed to improve the answer; each costs a pass through the model',
  },
} as const;

export const likelihood: GradientAttack<typeof options> = {
  name: 'likelihood',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'curious',
  words: {
    label: 'likelihood',
    help: 'recover text from everything that a gradient shows: word and position tables, first attention block, and how common words are, in one likelihood',
    definition:
      'A curious server sees the gradient of one sentence. It looks for the sentence that makes this gradient most likely, given the size of the noise and how common words are.',
    reference: 'ours',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 1,
  largestBatch: 1,
  confidence: 'probability',
  shares: 'all',
  // Which tokens a client hides is its secret, so the masked loss cannot be computed again.
  losses: ({ model }) => ['class', ...clientLosses(model).filter((loss) => loss === 'next' || loss === 'all')],
  hidesLengths: ({ unknownLengths }) => unknownLengths,
  check: ({ model, batchSize }, shared) => {
    if (batchSize > 1) {
      throw new ArgumentError(
        say`the likelihood attack reads one sentence at a time, got a batch of ${batchSize}: use ${setting('batchSize', 1)}, or the span attack`,
      );
    }
    evidenceIn(model, shared);
  },
  open: async ({ model, options: { unknownLengths, prior: wanted, tries }, longest, loss, shared }) => {
    const reach = reachOf(model, longest, unknownLengths);
    const evidence = evidenceIn(model, shared, loss);
    const prior = await unigram(model, wanted as PriorSource);
    const inputs = await openFirstInputs({ model, parameters: {} }, reach);
    const reads = readable(model, shared ?? evidence.reads, loss);
    const known = loss as Exclude<ClientLossName, 'masked'>;
    const whole = await openWhole(model, reads, known);
    const headNames = tries === 0 ? [] : headAmong(model, reads);
    const head =
      headNames.length === 0
        ? undefined
        : { likelihood: await openWhole(model, headNames, known), tries: tries as number };
    const kept = { evidence, inputs, prior: prior.logs, longest: reach, whole, ...(head && { head }) };
    return {
      reads,
      run: (view) => likelihoodAttack(view, kept),
      judge: {
        nats: async (view, sentences) => {
          const judged = [];
          for (const tokens of sentences) {
            const known = knownTokens(model, tokens.length);
            const likelihood = await whole.nats(view, tokens);
            judged.push({ likelihood, prior: outerNats({ prior: prior.logs, known }, tokens) });
          }
          return judged;
        },
        unigram: prior.logs,
      },
      about: about(evidence, head !== undefined, prior),
      close: async () => {
        for (const one of [whole, head?.likelihood, inputs]) await one?.close();
      },
    };
  },
};

/** The shared parameters that get a gradient from this loss: all of them tell something about a whole sentence. */
function readable(model: AttackedModel, shared: readonly string[], loss: ClientLossName): readonly string[] {
  const used = new Set(wholeModel(model).parametersOf(loss === 'class' ? 'classification' : 'lm'));
  return shared.filter((name) => used.has(name));
}

/** Names outside of embeddings and blocks: those of the heads. */
function headAmong({ layout }: AttackedModel, names: readonly string[]): readonly string[] {
  const { words, positions } = layout.embeddings;
  const below = new Set([words.weight, positions.weight, ...layout.blocks.map(({ query }) => query.weight)]);
  const heads = layout.parameterGroups.filter((group) => !group.some((name) => below.has(name))).flat();
  return names.filter((name) => heads.includes(name));
}

const priorWords: Readonly<Record<PriorSource, string>> = {
  model: 'what the model predicts where it sees no text',
  rank: 'ranks in the vocabulary',
  uniform: 'nothing (all tokens alike)',
};

function about({ tables, span, silent }: Evidence, head: boolean, { source }: Unigram) {
  const used = [
    ...(tables ? ['the word and position tables'] : []),
    ...(span ? ['the first attention block'] : []),
    ...(head ? ['the head'] : []),
  ];
  const lines = [
    `Evidence: ${used.join(', ')}; how common tokens are, from ${priorWords[source]}.`,
    ...(silent === undefined ? [] : [`The word and position tables say nothing: ${silent}.`]),
  ];
  return { lines, data: { tables, span, head, prior: source } };
}

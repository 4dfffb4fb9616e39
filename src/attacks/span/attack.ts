// The descriptor of the span attack: what it needs, what it keeps open, its options and words.

import { ArgumentError, option, say, setting } from '../../checks/index.js';
import { isAdapterParameter, loadModel } from '../../models/index.js';
import type { GradientAttack } from '../attack.js';
import { type AttackedModel, isWholeModel } from '../model.js';
import { reachOf, unknownLengthsOption } from '../unknown-lengths.js';
import type { GradientView, Recovery } from '../view.js';
import { spanParameters } from './first-block.js';
import { openFirstInputs } from './inputs.js';
import { openPrior } from './prior.js';
import { openSecondInputs } from './second-inputs.js';
import { spanAttack } from './span.js';

const options = {
  unknownLengths: unknownLengthsOption,
  prior: {
    type: 'model',
    help: 'a language model of the same vocabulary that decides between near-equal tokens, such as bundled:gpt2-mini for bundled models',
  },
} as const;

export const span: GradientAttack<typeof options> = {
  name: 'span',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'curious',
  words: {
    label: 'span',
    help: 'recover text from the gradients of the first attention block: no optimisation, no labels',
    definition:
      'A curious server sees the gradient of one sentence. It tries every token of the vocabulary at every position and keeps those that could have produced this gradient.',
    reference: 'after DAGER, Petrov et al. 2024; the variant that works under noise is ours',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 1,
  shares: 'read',
  losses: () => ['class'],
  hidesLengths: ({ unknownLengths }) => unknownLengths,
  check: ({ model, options: { unknownLengths, prior }, batchSize }, shared) => {
    if (batchSize > 1 && unknownLengths) {
      throw new ArgumentError(
        say`the span attack needs the lengths of the sentences in a batch of ${batchSize}: leave out ${option('unknownLengths')}, or use ${setting('batchSize', 1)}`,
      );
    }
    if (batchSize > 1 && prior !== undefined) {
      throw new ArgumentError(
        say`${option('prior')}: expected one sentence at a time, got a batch of ${batchSize}: use ${setting('batchSize', 1)}`,
      );
    }
    const unseen = spanParameters({ model, shared }, batchSize).find((name) => !(shared ?? [name]).includes(name));
    if (unseen === undefined) return expectTrained(model, spanParameters({ model, shared }, batchSize));
    throw new ArgumentError(
      say`the span attack reads ${unseen}, which is not among the shared parameters: add it to ${option('shared')}`,
    );
  },
  open: async ({ model, options: { unknownLengths, prior: source }, batchSize, longest, shared }) => {
    const reach = reachOf(model, longest, unknownLengths);
    const known = { model, parameters: {} };
    const prior = source === undefined ? undefined : openPrior(await loadModel(source), model);
    const inputs = await openFirstInputs(known, reach);
    const secondInputs = openSecondInputs(known);
    return {
      reads: spanParameters({ model, shared }, batchSize),
      run: async (view) => {
        const kept = { inputs, secondInputs, longest: reach, ...(prior && { prior }) };
        const { sentences, confidence, subspace } = await spanAttack(view, kept);
        const notes = [...tooWide(view, sentences), ...tooNarrow(view, sentences, spanParameters({ model, shared }))];
        return { sentences, confidence, figures: { rank: subspace.rank }, ...(notes.length > 0 && { notes }) };
      },
      close: async () => {
        for (const one of [prior, secondInputs, inputs]) await one?.close();
      },
    };
  },
};

/** The gradient of an adapter's first map is zero as long as its second map is, and that starts at zero. */
function expectTrained(model: AttackedModel, reads: readonly string[]): void {
  const fresh = isWholeModel(model) ? model.newlyInitialized : [];
  const secondOf = (name: string) => name.replace('.lora_A.', '.lora_B.');
  const untrained = reads.filter((name) => isAdapterParameter(name) && fresh.includes(secondOf(name)));
  if (untrained.length === 0 || untrained.length < reads.length) return;
  throw new ArgumentError(
    'the span attack reads the first maps of adapters, whose gradients are zero until the second maps were trained: attack a trained adapter, or use the likelihood attack',
  );
}

/** The adapters' gradients have as many rows as their rank; more tokens have a span of which they show only a part. */
function tooNarrow(
  { model, gradients, lengths }: GradientView,
  found: Recovery['sentences'],
  reads: readonly string[],
) {
  const tokens = (lengths ?? found.map(({ length }) => length)).reduce((sum, length) => sum + length, 0);
  const adapters = reads.filter(isAdapterParameter);
  const rows = adapters.reduce((sum, name) => sum + (gradients[name]?.length ?? 0) / model.config.hidden, 0);
  return adapters.length === 0 || tokens <= rows
    ? []
    : [
        `The adapters of the first block show ${rows} of the ${tokens} dimensions of the text's span (the rank of each, together): with more tokens than that, no token lies in what is shown, and the answer is a guess. The likelihood attack reads the other tensors too.`,
      ];
}

/** As many tokens as dimensions span everything, so that every token of the vocabulary fits. */
function tooWide({ model, lengths }: GradientView, found: Recovery['sentences']): string[] {
  const tokens = (lengths ?? found.map(({ length }) => length)).reduce((sum, length) => sum + length, 0);
  const { hidden } = model.config;
  return tokens < hidden
    ? []
    : [
        `The span says nothing about texts with as many tokens as the model is wide (${hidden}), because every token fits: send fewer sentences per batch, or cut them.`,
      ];
}

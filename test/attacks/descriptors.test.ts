// What the descriptors of the attacks say before anything is computed: refusals in one sentence, losses, and words about the server.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decepticons } from '../../src/attacks/decepticons/attack.js';
import { type AttackedModel, openAttackedModel, spanParameters } from '../../src/attacks/index.js';
import { span } from '../../src/attacks/span/attack.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
let [bert, gpt2, masked] = [] as unknown as [AttackedModel, AttackedModel, AttackedModel];
beforeAll(async () => {
  const open = async (name: 'bert' | 'gpt2', golden = `tiny-${name}`) =>
    openAttackedModel(await writeTiny(join(root, golden), name, { golden }), { numLabels: 2, seed: 1 });
  [bert, gpt2, masked] = [await open('bert'), await open('gpt2'), await open('bert', 'tiny-bert-mlm')];
});
const single = ({ layout, ...model }: AttackedModel) => ({
  ...model,
  layout: { ...layout, blocks: layout.blocks.slice(0, 1) },
});

describe('the span attack', () => {
  const options = { unknownLengths: false, prior: undefined };
  const check =
    (changes: { unknownLengths?: boolean; prior?: string }, batchSize: number, shared?: readonly string[]) => () =>
      span.check({ model: bert, options: { ...options, ...changes } as never, batchSize }, shared);

  it('accepts one sentence with any options, and a batch only with known lengths and no prior', () => {
    expect(check({ unknownLengths: true, prior: 'any' }, 1)).not.toThrow();
    expect(check({}, 4)).not.toThrow();
    expect(check({ unknownLengths: true }, 4)).toThrow('needs the lengths of the sentences in a batch of 4');
    expect(check({ prior: 'any' }, 4)).toThrow('prior: expected one sentence at a time, got a batch of 4');
  });

  it('needs the gradients of the first block, and of the second for a batch', () => {
    const first = ['query', 'key', 'value'].map((map) => `encoder.layer.0.attention.self.${map}.weight`);
    const second = first.map((name) => name.replace('layer.0', 'layer.1'));
    expect(spanParameters({ model: bert })).toEqual(first);
    expect(check({}, 1, first)).not.toThrow();
    expect(check({}, 2, [...first, ...second])).not.toThrow();
    expect(check({}, 1, first.slice(1))).toThrow(`reads ${first[0]}, which is not among the shared parameters`);
    expect(check({}, 2, first)).toThrow(`reads ${second[0]}, which is not among the shared parameters`);
    expect(spanParameters({ model: gpt2 }, 2)).toEqual(['h.0.attn.c_attn.weight', 'h.1.attn.c_attn.weight']);
    const shallow = single(bert);
    expect(() => span.check({ model: shallow, options: options as never, batchSize: 2 }, undefined)).toThrow(
      'by the second block: expected a model with two, got one',
    );
  });

  it('reads the loss of the class, and hides lengths if the attacker must find them', () => {
    expect(span.losses({ model: bert, options: options as never })).toEqual(['class']);
    for (const unknownLengths of [true, false])
      expect(span.hidesLengths?.({ ...options, unknownLengths } as never)).toBe(unknownLengths);
  });
});

describe('decepticons', () => {
  const options = { attacker: 'noise-aware' } as const;
  const open = (
    model: AttackedModel,
    loss: 'class' | 'all' | 'next',
    attacker: 'noise-aware' | 'published' = 'noise-aware',
  ) =>
    decepticons.open({ model, options: { attacker }, batchSize: 2, longest: 9, loss, random: seededSource('server') });

  it('reads every loss that the checkpoint has a head for', () => {
    const losses = (model: AttackedModel) => decepticons.losses({ model, options });
    expect(losses(bert)).toEqual(['class']); // no language-model head
    expect(losses(masked)).toEqual(['all', 'masked', 'class']);
    expect(losses(gpt2)).toEqual(['next', 'class']);
  });

  it('refuses a model that the published attacker does not know', () => {
    const strange = { ...bert, rawConfig: { ...bert.rawConfig, model_type: 'rnn' } };
    const check = (attacker: 'noise-aware' | 'published') => () =>
      decepticons.check({ model: strange, options: { attacker }, batchSize: 1 }, undefined);
    expect(check('published')).toThrow(
      "attacker: 'published': expected a model of type bert, gpt2, relu-transformer, got rnn",
    );
    expect(check('noise-aware')).not.toThrow();
  });

  it('describes what the server set, in words and as data that agree', async () => {
    const { about, parameters = {}, reads } = await open(bert, 'class');
    const { data, lines = [] } = about ?? {};
    // Two layers of 64 units: the last spreads the loss, so one is read.
    expect(data).toMatchObject({ tensors: bert.parameters.size, feedForwards: 1, thresholds: 64 });
    expect(data).toMatchObject({
      changed: Object.keys(parameters).length,
      settings: { equalise: true, keyPosition: 1 },
    });
    expect(reads).toEqual(['weight', 'bias'].map((kind) => `encoder.layer.0.intermediate.dense.${kind}`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`set ${Object.keys(parameters).length} of ${bert.parameters.size} tensors`);
    expect(lines[0]).toContain('it redrew the word and position tables; all tokens attend to position 1');
    expect(lines[0]).toContain('of 1 feed-forward hold one measurement, and their biases 64 thresholds');
  });

  it('shares the threshold between two feed-forwards, and keeps tables where the paper does', async () => {
    const { about, reads } = await open(gpt2, 'next', 'published');
    // 2 · 128 units, one threshold in common.
    const units = gpt2.config.intermediateSize;
    expect(about?.data).toMatchObject({ feedForwards: 2, thresholds: 2 * units - 1 });
    expect(about?.lines.join('\n')).toContain('it kept the word and position tables, except for the key');
    expect(about?.lines.join('\n')).toContain(
      `of 2 feed-forwards hold one measurement, and their biases ${2 * units - 1} thresholds`,
    );
    expect(reads).toContain('wte.weight'); // the tokens leak there
  });
});

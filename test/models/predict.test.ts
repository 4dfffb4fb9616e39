// Predicting tokens: BERT's masked-LM head against BertForMaskedLM of transformers in float64, and logits at some places only.

import { describe, expect, it } from 'vitest';
import { crossEntropy, gradients, input, reduceL2, reduceSum, type Value } from '../../src/engine/index.js';
import { buildBert, buildGpt2, makeLayers, parseBertConfig, parseGpt2Config } from '../../src/models/index.js';
import { expectNear, ids, readGolden, readWeights, runWith } from './describe-golden.js';

const name = 'tiny-bert-mlm';
const config = parseBertConfig(readGolden(name, 'config.json'));
const expected = readGolden(name, 'expected.json');
const [batch, tokens]: [number, number] = [expected.input_ids.length, expected.input_ids[0].length];

function open(rows: number) {
  const parameters: Record<string, Value> = {};
  const layers = makeLayers((key, shape) => {
    parameters[key] = input(key, shape);
    return parameters[key];
  });
  const source = { ids: input('ids', [rows, tokens], 'i64') };
  return { parameters, graph: buildBert(config, layers, source, input('mask', [rows, tokens])) };
}
const whole = { ids: ids(expected.input_ids), mask: Float32Array.from(expected.attention_mask.flat()) };
/** row · tokens + token */
const places: number[] = expected.places.flatMap((list: number[], row: number) =>
  list.map((token) => row * tokens + token),
);

describe('the masked-LM head', () => {
  it('gives the logits of the reference at masked places, which are rows of all logits', async () => {
    const { graph } = open(batch);
    const some = graph.lmLogits(input('places', [places.length], 'i64'));
    const feeds = { ...(await readWeights(name, 'bert.')), ...whole, places: ids([places]) };
    const result = await runWith({ some, all: graph.lmLogits() }, feeds);
    expectNear(result.some, expected.logits_at_places.flat(), 1e-5);
    const rows = places.flatMap((place) => [
      ...(result.all as Float32Array).subarray(place * config.vocabulary, (place + 1) * config.vocabulary),
    ]);
    expectNear(result.some, rows, 1e-6);
  });

  it('gives the loss and the gradient norm of every example and parameter', async () => {
    const weights = await readWeights(name, 'bert.');
    for (const [example, list] of (expected.places as number[][]).entries()) {
      const { parameters, graph } = open(1);
      const logits = graph.lmLogits(input('places', [list.length], 'i64'));
      const loss = reduceSum(crossEntropy(logits, input('targets', [list.length], 'i64')));
      const norms = gradients(loss, Object.values(parameters)).map((slope) => reduceL2(slope));
      const named = Object.fromEntries(Object.keys(parameters).map((key, i) => [key, norms[i] as Value]));
      const result = await runWith(
        { loss, ...named },
        {
          ...weights,
          ids: ids([expected.input_ids[example]]),
          mask: Float32Array.from(expected.attention_mask[example]),
          places: ids([list]),
          targets: ids([expected.targets[example]]),
        },
      );
      expectNear(result.loss, [expected.loss_per_example[example]], 1e-5);
      const wanted: Record<string, number> = expected.gradient_norm_per_example_per_parameter[example];
      expect(new Set(Object.keys(named))).toEqual(new Set(Object.keys(wanted).map((key) => key.replace('bert.', ''))));
      const total = Math.hypot(...Object.values(wanted));
      for (const [key, norm] of Object.entries(wanted)) {
        const found = Number(result[key.replace('bert.', '')]?.[0]);
        expect(Math.abs(found - norm) / (norm + 1e-3 * total), key).toBeLessThan(1e-4);
      }
    }
  });
});

describe('GPT-2', () => {
  it('predicts the same at some places as at all', async () => {
    const sizes = parseGpt2Config(readGolden('tiny-gpt2', 'config.json'));
    const { input_ids: rows, attention_mask: masks } = readGolden('tiny-gpt2', 'expected.json');
    const source = { ids: input('ids', [3, 12], 'i64') };
    const layers = makeLayers((key, shape) => input(key, shape));
    const graph = buildGpt2(sizes, layers, source, input('mask', [3, 12]));
    const chosen = [35, 0, 13, 13];
    const result = await runWith(
      { some: graph.lmLogits(input('places', [4], 'i64')), all: graph.lmLogits() },
      {
        ...(await readWeights('tiny-gpt2', 'transformer.')),
        ids: ids(rows),
        mask: Float32Array.from(masks.flat()),
        places: ids([chosen]),
      },
    );
    const all = result.all as Float32Array;
    const wanted = chosen.flatMap((place) => [
      ...all.subarray(place * sizes.vocabulary, (place + 1) * sizes.vocabulary),
    ]);
    expectNear(result.some, wanted, 1e-6);
  });
});

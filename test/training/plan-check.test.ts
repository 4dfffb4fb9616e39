// The trainer accepts only an unchanged plan, for the data and the parameters it was made for.

import { describe, expect, it } from 'vitest';
import { selectParameters } from '../../src/models/index.js';
import {
  groupsByLayer,
  makePlan,
  type Plan,
  type PlanOptionsFor,
  sgd,
  trainClassifier,
} from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { loadTiny, sentences } from './tiny-task.js';

const root = makeRoot();
describe('the trainer', async () => {
  const model = await loadTiny(root, 'bert');
  const trained = selectParameters(model, 'pooler+classifier');
  const train = (plan: Plan) =>
    trainClassifier({
      model,
      trainable: trained,
      data: { train: sentences(model, 20) },
      optimizer: sgd({ learningRate: 0.1 }),
      plan,
      seed: 1,
    });
  const small = { examples: 20, epochs: 1, batchSize: 5 };
  const own = (rest: Partial<PlanOptionsFor<'gaussian'>> = {}) =>
    makePlan({ mechanism: 'gaussian', ...small, noiseMultiplier: 1, accountant: 'rdp', ...rest });
  const directed = (parts: string[][]) =>
    makePlan({ mechanism: 'directional', ...small, concentration: 10, parameterGroups: parts });

  /** A plan changed by hand, past the types. */
  const changed = (keys: object) => ({ ...own(), ...keys }) as unknown as Plan;

  it.each<[string, Plan, string]>([
    ['another sampler', changed({ sampler: { kind: 'shuffled' } }), 'its event does not fit the rest'],
    ['another rate', changed({ sampler: { kind: 'poisson', sampleRate: 0.1 } }), 'its sampler does not fit'],
    ['less noise', changed({ noiseMultiplier: 0.5 }), 'its event does not fit'],
    ['no noise', changed({ noiseMultiplier: 0 }), 'does not fit'],
    ['a smaller ε', changed({ guarantee: own({ noiseMultiplier: 9 }).guarantee }), 'guarantee'],
    ['more steps', changed({ steps: 100 }), 'its steps does not fit'],
    ['more epochs', changed({ epochs: 2 }), 'its steps does not fit'],
    ['other neighbours', changed({ neighbours: 'replace-one' }), 'its neighbours does not fit'],
    ['a concentration', changed({ concentration: 1e9 }), 'its concentration does not fit'],
  ])('refuses a plan changed by hand: %s', async (_, plan, message) => {
    await expect(train(plan)).rejects.toThrow(message);
    await expect(train(plan)).rejects.toThrow('make the plan with makePlan and do not change it');
  });

  it('refuses a plan for other data or other parameters', async () => {
    await expect(train(own({ examples: 30 }))).rejects.toThrow('the plan is for 30 examples, the data has 20');
    await expect(train(directed([trained.slice(1)]))).rejects.toThrow(`in one of them, and no other: ${trained[0]}`);
    await expect(train(directed([[...trained, 'other']]))).rejects.toThrow('and no other: other');
  });

  it('accepts layers as groups', async () => {
    const parts = groupsByLayer(model, trained);
    expect(parts.map((part) => part.length)).toEqual([2, 2]);
    expect((await train(directed(parts))).privacy.guarantee?.epsilon).toBe(40);
  });

  it('groups parameters by layer in the order in which they are named', () => {
    const names = ['classifier.bias', 'encoder.layer.1.output.dense.bias', 'embeddings.LayerNorm.bias'];
    const more = [...names, 'encoder.layer.1.attention.self.key.bias', 'encoder.layer.0.output.dense.bias'];
    expect(groupsByLayer(model, more)).toEqual([
      ['classifier.bias'],
      ['encoder.layer.1.output.dense.bias', 'encoder.layer.1.attention.self.key.bias'],
      ['embeddings.LayerNorm.bias'],
      ['encoder.layer.0.output.dense.bias'],
    ]);
    expect(() => groupsByLayer(model, ['other'])).toThrow('unknown parameter other: the model has no such tensor');
  });
});

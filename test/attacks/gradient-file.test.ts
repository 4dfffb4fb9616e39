// A gradient from a file: read under either name, refused in one sentence where it does not fit.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  attackGradientFile,
  findAttack,
  type GradientAttack,
  openClient,
  spanParameters,
  storedName,
} from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { loadModel, type Model, type TensorToWrite, writeSafetensors } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const text = 'h e l l o';
let [model, gradients]: [Model, Arrays] = [undefined as never, {}];
beforeAll(async () => {
  model = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2, newHead: true });
  const data = { inputIds: [model.tokenizer.encode(text)], labels: [1] };
  const client = await openClient({ model, data, shared: spanParameters({ model }) });
  gradients = (await client.share([0], { mechanism: 'none' }, seededSource(1))).view.gradients;
  await client.close();
});

let files = 0;
/** Writes the gradients, with changed names or shapes, and attacks the file. */
async function attackFile(change: (name: string, tensor: TensorToWrite) => [string, TensorToWrite][], name = 'span') {
  const file = join(root, `gradient-${files++}.safetensors`);
  const tensors = Object.entries(gradients).flatMap(([key, data]) =>
    change(key, { shape: model.parameters.get(key)?.shape ?? [], data, dtype: 'F32' }),
  );
  await writeSafetensors(file, Object.fromEntries(tensors));
  const attack = findAttack(name) as GradientAttack;
  return (more: { length?: number; options?: Record<string, unknown> } = {}) =>
    attackGradientFile({
      attack,
      model,
      file,
      ...more,
      options: readOptions(attack.options, more.options ?? {}),
    });
}

it('gives the text, its tokens and how sure each is, with and without its length', async () => {
  const attack = await attackFile((name, tensor) => [[name, tensor]]);
  for (const given of [{ length: 7 }, {}]) {
    const { tokens, text: found, confidence, figures } = await attack(given);
    expect(found).toBe(text);
    expect(tokens).toEqual(['[CLS]', 'h', 'e', 'l', 'l', 'o', '[SEP]']);
    expect(confidence).toHaveLength(7);
    expect(figures).toEqual({ rank: 7 });
  }
});

it('is read by the likelihood attack as far as it goes: here without tables and head', async () => {
  const attack = await attackFile((name, tensor) => [[storedName(model, name), tensor]], 'likelihood');
  for (const given of [{ length: 7 }, {}]) {
    const { text: found, figures } = await attack(given);
    expect(found).toBe(text);
    expect(Object.keys(figures)).toEqual([
      'tableNats',
      'blockNats',
      'headNats',
      'wholeNats',
      'priorNats',
      'lead',
      'tries',
    ]);
    expect([figures.tableNats, figures.headNats]).toEqual([0, 0]);
  }
  const nothing = await attackFile((name, tensor) => (name.includes('query') ? [] : [[name, tensor]]), 'likelihood');
  await expect(nothing({ options: { refinement: 'none' }, length: 7 })).rejects.toThrow(
    'needs gradients that are not shared',
  );
});

it('refuses a length if the attacker is not to know it', async () => {
  const attack = await attackFile((name, tensor) => [[name, tensor]]);
  await expect(attack({ length: 7, options: { unknownLengths: true } })).rejects.toThrow(
    'length 7: expected none where the attacker does not know lengths',
  );
  expect((await attack({ options: { unknownLengths: true } })).text).toBe(text);
});

it('knows the names of checkpoints too, with the prefix of the model', async () => {
  const attack = await attackFile((name, tensor) => [[storedName(model, name), tensor]]);
  expect(storedName(model, spanParameters({ model })[0] as string)).toMatch(/^bert\.encoder\.layer\.0\./);
  expect(storedName(model, 'classifier.weight')).toBe('classifier.weight');
  expect((await attack({ length: 7 })).text).toBe(text);
});

it('names the missing tensor and some that are present', async () => {
  const [first, second] = spanParameters({ model }) as [string, string];
  const without = await attackFile((name, tensor) => (name === second ? [] : [[name, tensor]]));
  await expect(without()).rejects.toThrow(`expected the gradient of ${second}, got ${first}`);
});

it('names the wrong shape', async () => {
  const [first] = spanParameters({ model }) as [string];
  const other = await attackFile((name, tensor) => [[name, name === first ? { ...tensor, shape: [16, 64] } : tensor]]);
  await expect(other()).rejects.toThrow(`gradient of ${first}: expected shape [32,32], got [16,64]`);
});

it('is not enough for a malicious server, which must have chosen the parameters', async () => {
  const attack = await attackFile((name, tensor) => [[name, tensor]], 'decepticons');
  await expect(attack()).rejects.toThrow('at parameters that its server has set: a file of gradients is not enough');
});

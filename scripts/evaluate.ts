// npm run evaluate: prints the figures of the model cards, measured on held-out text, beside their baselines.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { argMax, cast, compile, crossEntropy, equal, input, reduceMean } from '../src/engine/index.js';
import { loadModel } from '../src/models/index.js';
import { seededSource } from '../src/random/index.js';
import { prepare } from './pretrain/prepare.js';
import { trainTrigram } from './pretrain/trigram.js';
import { bigints, drawWindows, maskWindows } from './pretrain/windows.js';

const { values } = parseArgs({
  options: {
    shared: { type: 'string', default: join('..', 'shared') },
    cache: { type: 'string', default: join('.cache', 'pretrain') },
  },
});
const prepared = await prepare(
  {
    novels: join(values.cache, 'novels'),
    irc: join(values.shared, 'data', 'ubuntu-irc', 'users.jsonl.gz'),
    cache: values.cache,
    models: 'models',
  },
  () => {},
);
const { train, heldOut, tokenizer } = prepared;
const [batch, tokens, rounds] = [16, 128, 32];
process.stdout.write(`${JSON.stringify({ 'gpt2-mini': await causal(), 'bert-mini': await masked() }, null, 2)}\n`);
process.exit(0);

async function causal() {
  const model = await loadModel('bundled:gpt2-mini');
  const targets = input('targets', [batch, tokens], 'i64');
  const loss = reduceMean(crossEntropy(model.build({ batch, tokens }).lmLogits(), targets));
  const program = await compile({ loss });
  const random = seededSource('evaluate').stream('causal');
  const trigram = trainTrigram([train.novel, train.irc]);
  let [ours, theirs, counted] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const rows = drawWindows(heldOut, batch, tokens + 1, random);
    const result = await program.run({
      ids: bigints(rows.flatMap((row) => row.slice(0, -1))),
      targets: bigints(rows.flatMap((row) => row.slice(1))),
      ...('mask' in program.inputs && { mask: new Float32Array(batch * tokens).fill(1) }),
    });
    ours += Number(result.loss[0]) / rounds;
    for (const row of rows) {
      for (let i = 1; i < row.length; i++) {
        theirs -= Math.log(trigram.probability(row[i - 2] ?? 0, row[i - 1] as number, row[i] as number));
        counted++;
      }
    }
  }
  return {
    loss: ours,
    perplexity: Math.exp(ours),
    trigramLoss: theirs / counted,
    trigramPerplexity: Math.exp(theirs / counted),
    heldOutTokens: counted,
  };
}

async function masked() {
  const model = await loadModel('bundled:bert-mini');
  const count = Math.round(0.15 * tokens);
  const places = input('places', [batch * count], 'i64');
  const targets = input('targets', [batch * count], 'i64');
  const logits = model.build({ batch, tokens }).lmLogits(places);
  const program = await compile({
    loss: reduceMean(crossEntropy(logits, targets)),
    accuracy: reduceMean(cast(equal(argMax(logits), targets), 'f32')),
  });
  const frequency = new Float64Array(tokenizer.size);
  for (const ids of [train.novel, train.irc]) for (const id of ids) frequency[id] = (frequency[id] as number) + 1;
  const words = frequency.map((number, id) => (id < 5 ? 0 : number + 1));
  const all = words.reduce((sum, number) => sum + number, 0);
  const commonest = words.indexOf(Math.max(...words));
  const random = seededSource('evaluate').stream('masked');
  const special = { mask: tokenizer.special.mask as number, firstWord: 5, size: tokenizer.size };
  const sums = { loss: 0, accuracy: 0, unigramLoss: 0, unigramAccuracy: 0 };
  for (let round = 0; round < rounds; round++) {
    const hidden = maskWindows(drawWindows(heldOut, batch, tokens, random), count, special, random);
    const result = await program.run({ ...hidden, mask: new Float32Array(batch * tokens).fill(1) });
    sums.loss += Number(result.loss[0]) / rounds;
    sums.accuracy += Number(result.accuracy[0]) / rounds;
    for (const target of hidden.targets) {
      const share = 1 / (rounds * hidden.targets.length);
      sums.unigramLoss -= Math.log((words[Number(target)] as number) / all) * share;
      sums.unigramAccuracy += Number(Number(target) === commonest) * share;
    }
  }
  return { ...sums, hiddenTokens: rounds * batch * count };
}

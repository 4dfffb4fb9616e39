// What does a training plan promise, and which noise does a target ε need? Nothing is trained; this also runs in a browser.
//   node examples/account-for-a-plan.mjs

import { accountantOf, dpSgd, findNoise, privacyStatement } from 'epsilens/privacy';

const [examples, batchSize, epochs] = [60_000, 600, 15];
const sizes = { sampleRate: batchSize / examples, steps: (epochs * examples) / batchSize };
const delta = 1e-5;
const event = dpSgd({ ...sizes, noiseMultiplier: 1 });

for (const name of ['rdp', 'pld']) {
  const { epsilon } = accountantOf(name).compose(event).epsilon(delta);
  console.log(`${name}: ε = ${epsilon.toFixed(3)} with δ = ${delta}`);
}

const noise = findNoise({
  accountant: 'pld',
  eventFor: (noiseMultiplier) => dpSgd({ ...sizes, noiseMultiplier }),
  target: { epsilon: 8, delta },
});
console.log(`ε = 8 needs noise of ${noise.toFixed(3)} times the clip norm\n`);

const guarantee = accountantOf('pld').compose(event).epsilon(delta);
for (const sentence of privacyStatement(event, guarantee, { records: examples })) console.log(sentence);

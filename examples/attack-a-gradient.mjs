// What does a server read from the gradient of one sentence, without noise and with more and more noise?
//   node examples/attack-a-gradient.mjs "a sentence of your own"

import { attack } from 'epsilens';

const texts = [process.argv[2] ?? 'Dear Ann, the door code is 4711.'];
const levels = ['none', { name: 'gaussian', noiseMultiplier: 1e-3 }, { name: 'gaussian', noiseMultiplier: 0.1 }];

for (const mechanism of levels) {
  const { sentences, protection } = await attack('span', { texts, mechanism });
  const [{ guess, scores }] = sentences;
  console.log(`${protection}\n  LCS ratio ${scores.lcsRatio.toFixed(2)}: ${guess}`);
}

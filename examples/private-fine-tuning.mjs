// Fine-tune a mail classifier with ε = 8, use it, save it.
//   node examples/private-fine-tuning.mjs

import { fineTune } from 'epsilens';

const run = await fineTune({
  model: 'bundled:bert-mini', // or a folder in the Hugging Face layout
  data: 'bundled:mail', // or a CSV, TSV, JSONL or Parquet file
  privacy: { epsilon: 8 }, // DP-SGD; finds the noise for this ε
  learningRate: 2e-3,
});

for (const sentence of run.privacy.statement) console.log(sentence);
console.log(`Accuracy on the test split: ${(100 * run.scores.test.accuracy).toFixed(1)} %`);

const texts = ['You have won a free cruise! Click here to claim it.', 'The meeting is moved to Thursday.'];
for (const { label, probability } of await run.model.classify(texts)) {
  console.log(`${label} (${(100 * probability).toFixed(0)} %)`);
}
await run.model.save('private-model'); // loads here and in transformers

// `epsilens attack decepticons`: whole batches of text from the gradients of a client whose server sent malicious parameters.

import { seededSource } from '../random/index.js';
import { attackBatch, type BatchLine, measureFloor, randomWords } from './attack-decepticons-batch.js';
import { describeMessage, setParameters } from './attack-decepticons-server.js';
import { openCase, type Rows, type TargetFlags } from './attack-decepticons-target.js';
import { type DecepticonsReport, describeDecepticons } from './attack-decepticons-text.js';
import { openResults } from './attack-results.js';
import { scorePairs } from './attack-scores.js';
import { addSentenceFlags } from './attack-sentences.js';
import { wantsColour } from './attack-tokens.js';
import { type Command, wholeNumber } from './command.js';
import { oneOf } from './own-flags.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';
import { addProtectionFlags, describeProtection, type ProtectionFlags, protectionFrom } from './protection-flags.js';

interface DecepticonsFlags extends TargetFlags, ProtectionFlags {
  readonly attacker?: string;
  readonly parameters?: string;
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addDecepticonsAttack(attack: Command): void {
  const command = attack
    .command('decepticons')
    .description('a malicious server sets parameters so that the gradients of a batch give its sentences away');
  const models = 'a folder in the Hugging Face layout, bundled:bert-mini, bundled:gpt2-mini, or relu (3 layers, drawn)';
  addProtectionFlags(addSentenceFlags(command, { models, count: 8 }))
    .option('--batch-size <count>', 'sentences in a batch: 8 unless there are fewer', wholeNumber(1))
    .option('--attacker <kind>', 'noise-aware (default) or published')
    .option(
      '--loss <kind>',
      'what the client trains: next (GPT-2, relu), all or masked (BERT: every token or 15 % hidden), class',
    )
    .option('--parameters <file>', 'save what the server sends, as safetensors')
    .option('--no-similarity', 'leave out the cosine of sentence vectors')
    .option('--out <folder>', 'keep results there batch by batch, and go on with them next time')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: DecepticonsFlags) => {
      const report = await runDecepticons(flags);
      process.stdout.write(
        flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeDecepticons(report, wantsColour()),
      );
    });
}

async function runDecepticons(flags: DecepticonsFlags): Promise<DecepticonsReport> {
  const protection = protectionFrom(flags);
  const attacker = oneOf('attacker', flags.attacker, ['noise-aware', 'published'] as const) ?? 'noise-aware';
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const target = await openCase(flags);
    const random = seededSource(flags.seed);
    const malicious = await setParameters(target, attacker, flags);
    const { parameters: _, ...kept } = flags;
    const results = await openResults<BatchLine>(kept, 'batches.jsonl');
    const lines = [...results.done];
    const { batches, lossOf } = target;
    const attack = (rows: Rows, index: number, floor = false) => {
      const name = floor ? 'floor' : `batch ${index + 1}/${batches.length}`;
      const show = (what: string) => progress.show(`${bar(lines.length / batches.length)} ${name}: ${what}`);
      show('gradients …');
      const work = {
        target,
        malicious,
        protection,
        random: random.stream(floor ? 'noise of the floor' : `noise ${index}`),
      };
      return attackBatch(rows, lossOf(rows, index), { ...work, onShared: () => show('attack …') });
    };
    while (lines.length < batches.length && !stop.signal.aborted) {
      const index = lines.length;
      const line = { index, ...(await attack(batches[index] as Rows, index)) };
      lines.push(line);
      await results.append(line);
    }
    const unrelated = async (rows: Rows) =>
      (await attack(randomWords(target, rows, random.stream('random words')), 0, true)).sentences;
    const floor = stop.signal.aborted ? undefined : await measureFloor(target, lines, unrelated);
    progress.show('scoring …');
    const report = {
      model: flags.model,
      attacker,
      loss: target.loss,
      protection: describeProtection(protection),
      ...describeMessage(target, malicious),
      batchSize: (batches[0] as Rows).length,
      lines,
      ...(await scorePairs(
        lines.flatMap(({ sentences }) => sentences),
        flags,
      )),
      ...(floor && { floor }),
      finished: lines.length === batches.length,
    };
    await results.finish(report);
    return report;
  } finally {
    stop.end();
    progress.end();
  }
}

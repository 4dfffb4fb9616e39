// `epsilens attack decepticons`: whole batches of text from the gradients of a client whose server sent malicious parameters.

import {
  type DecepticonsAttacker,
  decepticonsParameters,
  type Malicious,
  type MaliciousChange,
  maliciousParameters,
} from '../attacks/index.js';
import { writeSafetensors } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { attackBatch, type BatchLine, floorBetween, randomWords } from './attack-decepticons-batch.js';
import { type DecepticonsCase, type LossName, openCase, type TargetFlags } from './attack-decepticons-target.js';
import { describeDecepticons } from './attack-decepticons-text.js';
import { addProtectionFlags, describeProtection, type ProtectionFlags, protectionFrom } from './attack-options.js';
import { openResults } from './attack-results.js';
import { type ScoredPairs, scorePairs } from './attack-scores.js';
import { addSentenceFlags } from './attack-sentences.js';
import { wantsColour } from './attack-tokens.js';
import { type Command, wholeNumber } from './command.js';
import { oneOf } from './own-flags.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';

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
    .option('--batch <count>', 'sentences in a batch: 8 unless there are fewer', wholeNumber(1))
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

export interface DecepticonsReport extends ScoredPairs {
  readonly model: string;
  readonly attacker: DecepticonsAttacker;
  readonly loss: LossName;
  readonly protection: string;
  readonly shared: { readonly tensors: number; readonly numbers: number; readonly read: readonly string[] };
  readonly server: {
    readonly changed: number;
    readonly tensors: number;
    readonly settings: Malicious['settings'];
    readonly feedForwards: number;
    readonly thresholds: number;
    readonly changes: readonly MaliciousChange[];
  };
  readonly batchSize: number;
  readonly lines: readonly BatchLine[];
  /** Mean ROUGE-L when the gradient is of other sentences. */
  readonly floor?: { readonly rougeL: number; readonly of: string };
  readonly finished: boolean;
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
    const attack = (rows: DecepticonsCase['batches'][number], index: number, name: string) => {
      const show = (what: string) =>
        progress.show(`${bar(lines.length / batches.length)} batch ${index + 1}/${batches.length}: ${what}`);
      show('gradients …');
      const work = { target, malicious, protection, random: random.stream(`${name} ${index}`) };
      return attackBatch(rows, lossOf(rows, index), { ...work, onShared: () => show('attack …') });
    };
    while (lines.length < batches.length && !stop.signal.aborted) {
      const index = lines.length;
      const line = { index, ...(await attack(batches[index] as DecepticonsCase['batches'][number], index, 'noise')) };
      lines.push(line);
      await results.append(line);
    }
    const unrelated = async (rows: DecepticonsCase['batches'][number]) =>
      (await attack(randomWords(target, rows, random.stream('random words')), 0, 'floor')).sentences;
    const floor = stop.signal.aborted ? undefined : await measureFloor(target, lines, unrelated);
    progress.show('scoring …');
    const report = {
      model: flags.model,
      attacker,
      loss: target.loss,
      protection: describeProtection(protection),
      ...describeMessage(target, malicious),
      batchSize: (batches[0] as unknown[]).length,
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

async function setParameters(
  { model, stored, loss, around }: DecepticonsCase,
  attacker: DecepticonsAttacker,
  { seed, parameters }: DecepticonsFlags,
): Promise<Malicious> {
  const malicious = await maliciousParameters(model, {
    attacker,
    // The first token that differs between sentences.
    keyPosition: around.before.length,
    // Where few tokens have a loss, the last block must spread it.
    ...((loss === 'class' || loss === 'masked') && { equalise: true }),
    random: seededSource(seed).stream('server'),
  });
  if (parameters === undefined) return malicious;
  const tensors = Object.entries(malicious.parameters).map(([name, data]) => {
    const shape = model.parameters.get(name)?.shape ?? [];
    return [stored(name), { shape, data }] as const;
  });
  const metadata = { format: 'pt', changes: JSON.stringify(malicious.changes) };
  await writeSafetensors(parameters, Object.fromEntries(tensors), metadata);
  return malicious;
}

function describeMessage({ model, shared }: DecepticonsCase, malicious: Malicious) {
  const { parameters, settings, thresholds, changes } = malicious;
  const sizeOf = (name: string) => (model.parameters.get(name)?.shape ?? []).reduce((all, size) => all * size, 1);
  return {
    shared: {
      tensors: shared.length,
      numbers: shared.reduce((sum, name) => sum + sizeOf(name), 0),
      read: decepticonsParameters(model, malicious),
    },
    server: {
      changed: Object.keys(parameters).length,
      tensors: model.parameters.size,
      settings,
      feedForwards: thresholds.length,
      // Two feed-forwards share the threshold between them.
      thresholds: thresholds.reduce((sum, { length }) => sum + length - 1, 1),
      changes,
    },
  };
}

/** With one batch there are no other sentences, so random words take their place. */
async function measureFloor(
  { batches }: DecepticonsCase,
  lines: readonly BatchLine[],
  unrelated: (rows: DecepticonsCase['batches'][number]) => Promise<BatchLine['sentences']>,
): Promise<DecepticonsReport['floor']> {
  const [first, second] = lines;
  if (first === undefined) return undefined;
  if (second === undefined) {
    const others = await unrelated(batches[0] as DecepticonsCase['batches'][number]);
    return { rougeL: floorBetween(first.sentences, others), of: 'random words' };
  }
  const floors = lines.map(({ sentences }, i) =>
    floorBetween(sentences, (lines[(i + 1) % lines.length] as BatchLine).sentences),
  );
  return { rougeL: floors.reduce((sum, floor) => sum + floor, 0) / floors.length, of: 'another batch' };
}

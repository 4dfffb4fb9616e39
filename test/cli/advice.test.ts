// Advice that can be followed: an error names flags of the command that ran, and no option of the library that has none there.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import { nameIn } from '../../src/cli/error-text.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';
import { inProcess, makeProgram } from './in-process.js';

const source = join(import.meta.dirname, '..', '..', 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(source, name), 'utf8') }));
const library = files.filter(({ name }) => !name.startsWith('cli/') && name !== 'checks/message.ts');

const program = makeProgram();
const commandOf = (path: string): Command =>
  path.split(' ').reduce((command: Command, name) => {
    const found = command.commands.find((one) => one.name() === name);
    if (found === undefined) throw new Error(`no command ${name}`);
    return found;
  }, program);

const readers = ['data', 'train', 'classify', 'attack span', 'attack decepticons', 'attack membership', 'calibrate'];
const gradients = ['attack span', 'attack decepticons'];
const worlds = ['attack mia', 'attack lira'];

/** The commands in which an error may name this option. */
const raisedIn: Readonly<Record<string, readonly string[]>> = {
  // Reading data. Groups are only read by commands that split.
  delimiter: readers,
  encoding: [...readers, 'score'],
  format: readers,
  skipEmpty: readers,
  labelColumn: readers,
  classes: ['train'],
  // Training and its folder.
  folder: ['train', 'calibrate', ...gradients],
  resume: ['train'],
  holdOut: ['train'],
  dropout: ['train'],
  dropoutFrozen: ['train'],
  // Of loadModel; commands read it from adapter_config.json, which the error names too.
  base: [],
  ledger: ['verify'],
  newHead: ['train'],
  optimizer: ['train'],
  schedule: ['train'],
  neighbours: ['train'],
  sampler: ['train'],
  parameterGroups: ['train'],
  noiseMultiplier: ['train'],
  accountant: ['train', 'account'],
  mechanism: ['train', ...gradients],
  maxTokens: ['train', 'classify', 'attack membership', ...gradients],
  // Studies.
  data: ['calibrate'],
  plan: ['calibrate'],
  epsilon: ['calibrate', 'show', 'report'],
  leakageAtMost: ['calibrate', 'show', 'report'],
  // Attacks.
  others: ['attack membership'],
  examples: worlds,
  recipe: worlds,
  references: worlds,
  targets: worlds,
  trainable: ['train', ...worlds],
  offlineA: ['attack rmia'],
  split: gradients,
  count: gradients,
  texts: gradients,
  batchSize: ['train', ...gradients],
  loss: gradients,
  shared: gradients,
  length: ['attack span'],
  unknownLengths: ['attack span'],
  prior: ['attack span'],
  attacker: ['attack decepticons'],
  genie: ['attack likelihood'],
  languageModel: ['attack likelihood'],
  tokens: ['score'],
};

describe('every option that an error names', () => {
  const named = new Set(
    library.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:option|setting)\('(\w+)'/g)].map(([, name]) => name as string),
    ),
  );

  it('is known here', () => {
    expect([...named].sort()).toEqual(Object.keys(raisedIn).sort());
  });

  it.each(Object.entries(raisedIn))('%s is a flag of %j', (option, commands) => {
    for (const command of commands) expect(nameIn(commandOf(command), { option }), command).toMatch(/^--[a-z-]+$/);
  });

  it('columns are flags wherever files are read', () => {
    for (const command of readers)
      for (const option of ['textColumn', 'labelColumn']) expect(nameIn(commandOf(command), { option })).toBeDefined();
  });
});

const camelCase = /(?<![\w./])[a-z]+[A-Z]\w*(?![\w(/])/g;

/** The words of messages between their values: `set ${option('x')} to a number` has set and to a number. */
const messagesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:new (?:Argument|File)?Error\(|say)[^;]*?(?=;\n|\);)/gs)].flatMap(([found]) =>
    [...found.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/gs)].map(([, template, plain]) =>
      (template ?? plain ?? '').replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'),
    ),
  );

describe('the library’s own words', () => {
  it('name no flag, which its callers do not have', () => {
    const known = new Set(['--ignore-scripts']);
    const wrong = library.flatMap(({ name, text }) =>
      messagesIn(text).flatMap((words) =>
        [...words.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].flatMap(([flag]) =>
          known.has(flag) ? [] : [`${name}: ${flag}`],
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('name options only where no command can get there', () => {
    // Functions to call, and options of calls that no command makes.
    const inLibraryOnly: Readonly<Record<string, readonly string[]>> = {
      'api/fine-tune.ts': ['newHead', 'numLabels'],
      'api/language-model.ts': ['classifyTokens'],
      'api/write-report.ts': ['writeReport'],
      'attacks/decepticons/settings.ts': ['replaceBelow'],
      'engine/ops/activation.ts': ['normalizedInput', 'layerNorm'],
      'mechanisms/gradient/gaussian.ts': ['noiseMultiplier'],
      'mechanisms/gradient/plan.ts': ['groupPrivacy'],
      'random/cryptographic.ts': ['fillRandom'],
      'training/plan.ts': ['makePlan'],
      'training/spending.ts': ['insecureSeed'],
    };
    const found = library.flatMap(({ name, text }) => {
      const words = messagesIn(text).flatMap((message) => message.match(camelCase) ?? []);
      return words.length > 0 ? [[name, [...new Set(words)]] as const] : [];
    });
    expect(Object.fromEntries(found)).toEqual(inLibraryOnly);
  });
});

const root = makeRoot();
const at = (...names: string[]): string => join(root, ...names);

/** Files by name, and what is wrong with them. */
const odd = {
  'unusual.csv': 'id;kommentar;klasse\n1;a;x\n',
  'unlabelled.csv': `text,stars\n${'a,1\nb,2\n'.repeat(10)}`,
  'empty.csv': 'text,label\na,x\n,y\nb,x\n',
  'twice.csv': 'text,text\na,x\n',
  'ragged.csv': 'text,label\na,b,c\n',
  'bare.tsv': 'a\tb\nc\td\n',
  'other.dat': 'a\n',
  'three.csv': `text,label\n${['x', 'y', 'z']
    .map((label) => `a b,${label}\n`)
    .join('')
    .repeat(4)}`,
  'study.yaml': 'name: odd\nmodel: trained\ndata: {source: three.csv}\nattacks: {}\nseeds: [1]\n',
} as const;

beforeAll(async () => {
  await writeReviews(root);
  await writeTiny(at('trained'), 'bert');
  mkdirSync(at('held'));
  for (const [name, text] of Object.entries(odd)) writeFileSync(at(name), text);
  writeFileSync(at('west.csv'), Buffer.from('text,label\ncaf\xe9,x\n', 'latin1'));
  writeFileSync(at('wide.csv'), Buffer.from('text,label\na,x\nb,y\n', 'utf16le'));
  const run = ['train', '--model', at('model'), '--data', at('data'), '--epochs', '1'];
  const privately = ['--mechanism', 'gaussian', '--noise', '1', '--batch-size', '8'];
  expect(await inProcess(...run, '--out', at('run'))).toMatchObject({ status: 0 });
  expect(await inProcess(...run, ...privately, '--out', at('private'))).toMatchObject({ status: 0 });
});

const tail = ['--model', at('model'), '--epochs', '1', '--out', at('new')];
const span = ['attack', 'span', '--model', at('model'), '--no-similarity', '--max-tokens', '8'];
const texts = ['--text', 'a b c', '--text', 'b c d', '--text', 'c d'];

describe.each([
  // Reading, by every command that reads.
  ...['unusual.csv', 'empty.csv', 'twice.csv', 'ragged.csv', 'bare.tsv', 'other.dat', 'west.csv', 'wide.csv'].flatMap(
    (name) => [
      ['data', at(name), '--tokenizer', at('model')],
      ['train', '--data', at(name), ...tail],
      ['classify', '--model', at('trained'), '--data', at(name)],
      ['attack', 'membership', '--model', at('trained'), '--data', at(name)],
      ['attack', 'span', '--data', at(name)],
      ['attack', 'decepticons', '--data', at(name)],
      ['calibrate', at('study.yaml'), '--data', at(name), '--out', at('none')],
    ],
  ),
  ['data', 'bundled:mail', '--skip-empty'],
  ['calibrate', 'quick', '--text-column', 'body', '--out', at('none')],
  ['train', '--data', at('three.csv'), '--text-column', '7', ...tail],
  ['train', '--data', at('three.csv'), '--encoding', 'koi8', ...tail],
  ['train', '--data', at('three.csv'), '--delimiter', ';;', ...tail],
  ['train', '--data', at('three.csv'), '--text-by', 'pages', ...tail],
  ['train', '--data', at('unlabelled.csv'), ...tail],
  ['attack', 'membership', '--model', at('trained'), '--data', at('unlabelled.csv')],
  ['calibrate', at('study.yaml'), '--data', at('unlabelled.csv'), '--out', at('none')],
  // Training and its folder.
  ['train', '--model', at('model'), '--data', at('data'), '--out', at('run')],
  ['train', '--model', at('model'), '--data', at('data'), '--out', at('run'), '--resume', '--learning-rate', '1'],
  [
    'train',
    '--model',
    at('model'),
    '--data',
    at('data'),
    '--out',
    at('private'),
    '--resume',
    '--epochs',
    '1',
    '--mechanism',
    'gaussian',
    '--noise',
    '2',
    '--batch-size',
    '8',
  ],
  ['train', '--model', at('trained'), '--data', at('three.csv'), '--out', at('new')],
  ['train', '--data', at('data'), ...tail, '--batch-size', '100'],
  ['train', '--data', at('data'), ...tail, '--optimizer', 'magic'],
  ['train', '--data', at('data'), ...tail, '--schedule', 'stairs'],
  ['train', '--data', at('data'), ...tail, '--mechanism', 'gaussian', '--noise', '1', '--accountant', 'none'],
  [
    'train',
    '--data',
    at('data'),
    ...tail,
    '--mechanism',
    'directional',
    '--concentration',
    '9',
    '--parameter-groups',
    'odd',
  ],
  ['calibrate', at('study.yaml'), '--out', at('none')],
  ['calibrate', 'paper-bert-cola'],
  ['calibrate', at('study.yaml'), '--model', at('model'), '--out', at('three.csv')],
  // Attacks.
  ['attack', 'membership', '--model', at('run', 'model'), '--data', at('data'), '--others', 'test'],
  ['verify', at('run', 'model'), at('run', 'model'), '--ledger', at('three.csv')],
  ['train', '--data', at('data'), ...tail, '--hold-out', '0.0001'],
  [...span, '--data', at('data'), '--split', 'test'],
  [...span, '--data', at('data'), '--count', '1000'],
  [...span, ...texts, '--batch-size', '2'],
  [...span, ...texts, '--batch-size', '4'],
  [...span, ...texts, '--batch-size', '3', '--unknown-lengths'],
  [...span, ...texts, '--batch-size', '3', '--prior', at('model')],
  [...span, ...texts, '--prior', at('model')],
  [...span, ...texts, '--loss', 'next'],
  [...span, ...texts, '--shared', 'head'],
  [...span, '--text', '…'],
  ['attack', 'span', '--model', at('trained'), '--data', at('three.csv'), '--count', '1'],
  ['score', '--references', at('west.csv'), '--hypotheses', at('west.csv'), '--no-similarity'],
  ['score', '--reference', 'a', '--hypothesis', 'a', '--tokens', 'bytes', '--no-similarity'],
  ['account', '--sample-rate', '2', '--noise', '1', '--steps', '10', '--delta', '1e-5'],
])('%s %s', (...args) => {
  it(`${args.slice(2).join(' ')} fails with advice that can be followed`, async () => {
    const { status, stderr } = await inProcess(...args);
    expect(status).toBeGreaterThan(0);
    const said = stderr.replaceAll(root, '');
    expect(said).toMatch(/^(epsilens|error): \S/);
    const path = args[0] === 'attack' ? args.slice(0, 2).join(' ') : (args[0] as string);
    const flags = commandOf(path).options.map(({ long }) => long);
    for (const [flag] of said.matchAll(/(?<![\w-])--[a-z][\w-]*/g)) expect([...flags, '--help']).toContain(flag);
    // Keys of a study keep their names.
    expect(said.replace(/\b(training|data|attacks|sharing)\.[\w.]+/g, '').match(camelCase)).toBeNull();
  });
});

describe('what used to lead nowhere', () => {
  it.each([
    [
      ['attack', 'membership', '--model', at('trained'), '--data', at('unlabelled.csv')],
      'expected at least two classes, got 0: set --label-column to one of "text","stars"',
    ],
    [
      ['calibrate', at('study.yaml'), '--data', at('unlabelled.csv'), '--out', at('none')],
      'expected at least two classes, got 0: set --label-column to one of "text","stars"',
    ],
    [
      ['calibrate', at('study.yaml'), '--out', at('none')],
      'add training.newHead: true (in the study) to initialize a new one',
    ],
    [
      ['attack', 'span', '--model', at('trained'), '--data', at('three.csv'), '--count', '1'],
      'the data needs [3,32]: give the data that it was trained on',
    ],
    [
      ['train', '--model', at('model'), '--data', at('data'), '--out', at('run')],
      'holds a run already: continue it with --resume, or choose another --out',
    ],
  ])('%j says %s', async (args, said) => {
    expect((await inProcess(...args)).stderr).toContain(`${said}\n`);
  });
});

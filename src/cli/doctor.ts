// `epsilens doctor`: what this machine has, how fast it is, and what is missing, for whoever installs Epsilens or reports a problem.

import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { packageVersion } from '../calibration/index.js';
import { expectMail } from '../data/index.js';
import { measureProductRate, runtimeInfo } from '../engine/index.js';
import { expectWordNet } from '../metrics/index.js';
import { bundledModels, expectSentenceEncoder } from '../models/index.js';
import { availableMemory, cacheFolder, explainFileError } from '../platform/index.js';
import { cryptographicSource, fillNormal } from '../random/index.js';
import type { Command } from './command.js';
import { addExamples } from './examples.js';
import { hang } from './wrap.js';

/** One thing that was looked at. */
export interface Finding {
  readonly what: string;
  /** `missing`: an optional part is not there. `problem`: Epsilens does not work here. */
  readonly status: 'ok' | 'missing' | 'problem';
  /** What was found, or what to do. */
  readonly found: string;
}

/** What `--json` prints. */
export interface Diagnosis {
  readonly works: boolean;
  readonly findings: readonly Finding[];
  /** Absent where nothing can be computed. */
  readonly productGflops?: number;
  /** Of one number of cryptographic noise, on one core. */
  readonly noiseNanoseconds: number;
}

interface DoctorFlags {
  readonly json?: boolean;
}

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('show versions, speeds, memory and what is missing here; takes seconds and changes nothing')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .addHelpText('after', '\nExit code 0 means that Epsilens works here; 1 means that something it needs is\nmissing.')
    .action(async ({ json }: DoctorFlags) => {
      const diagnosis = await diagnose();
      process.stdout.write(json ? `${JSON.stringify(diagnosis, null, 2)}\n` : describeDiagnosis(diagnosis));
      if (!diagnosis.works) process.exitCode = 1;
    });
  addExamples(command, 'epsilens doctor', 'epsilens doctor --json');
}

async function diagnose(): Promise<Diagnosis> {
  const runtime = await found('ONNX Runtime', 'problem', async () => {
    const { name, version: own, fallbackReason } = await runtimeInfo();
    const way = name === 'native' ? 'native interface' : 'binding, which is slower';
    return `${own}, ${way}${fallbackReason === undefined ? '' : `: ${fallbackReason}`}`;
  });
  const productGflops =
    runtime.status === 'ok' ? await measureProductRate({ rows: 1024, inner: 1024, columns: 1024 }) : undefined;
  const findings = [
    await found('epsilens', 'problem', () => packageVersion),
    await found('Node', 'problem', () => `${process.versions.node}, ${process.platform} ${process.arch}`),
    await found(
      'processor',
      'problem',
      () => `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} threads`,
    ),
    await found('memory', 'problem', () => `${gigabytes(availableMemory())} free of ${gigabytes(totalmem())}`),
    await found('cache folder', 'problem', describeCache),
    runtime,
    await found('models', 'missing', () => bundledModels().join(', ')),
    await found('bundled:mail', 'missing', installed(expectMail)),
    await found('WordNet (METEOR)', 'missing', installed(expectWordNet)),
    await found('sentence encoder', 'missing', installed(expectSentenceEncoder)),
  ];
  return {
    works: findings.every(({ status }) => status !== 'problem'),
    findings,
    ...(productGflops !== undefined && { productGflops }),
    noiseNanoseconds: measureNoise(),
  };
}

async function found(
  what: string,
  otherwise: 'missing' | 'problem',
  look: () => string | Promise<string>,
): Promise<Finding> {
  try {
    return { what, status: 'ok', found: await look() };
  } catch (error) {
    return { what, status: otherwise, found: messageIn(error) };
  }
}

function messageIn(error: unknown): string {
  const explained = explainFileError(error);
  return explained instanceof Error ? explained.message : String(explained);
}

const installed = (expect: () => void) => (): string => {
  expect();
  return 'installed';
};

async function describeCache(): Promise<string> {
  const folder = cacheFolder();
  await mkdir(folder, { recursive: true });
  await access(folder, constants.W_OK);
  const { bavail, bsize } = await statfs(folder);
  return `${folder}, ${gigabytes(bavail * bsize)} free`;
}

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GB`;

/** Enough numbers that the time is above what the clock can tell. */
const noiseNumbers = 1 << 20;

function measureNoise(): number {
  const numbers = new Float32Array(noiseNumbers);
  const source = cryptographicSource();
  fillNormal(source, numbers, {});
  const start = performance.now();
  fillNormal(source, numbers, {});
  return ((performance.now() - start) * 1e6) / noiseNumbers;
}

/** What `epsilens doctor` prints. */
export function describeDiagnosis({ works, findings, productGflops, noiseNanoseconds }: Diagnosis): string {
  const marks = { ok: ' ', missing: '-', problem: '!' } as const;
  const rows = [
    ...findings,
    ...(productGflops === undefined
      ? []
      : [{ what: 'matrix products', status: 'ok' as const, found: `${productGflops.toFixed(0)} GFLOPS` }]),
    {
      what: 'secret noise',
      status: 'ok' as const,
      found: `${noiseNanoseconds.toFixed(0)} ns per number and core`,
    },
  ];
  const verdict = works
    ? 'Epsilens works here. What is marked - is optional.'
    : 'Epsilens does not work here: see what is marked !.';
  return `${[...rows.flatMap(({ what, status, found: text }) => hang(`${marks[status]} ${what.padEnd(18)}`, text)), '', verdict].join('\n')}\n`;
}

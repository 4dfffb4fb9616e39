// What the engine asks of ONNX Runtime, and which of two ways to it is taken: its C interface (`native`), or the official
// JavaScript binding (`binding`) where that cannot be used.

import { ArgumentError } from '../checks/index.js';
import type { OnnxModel } from './onnx.js';
import type { SessionOptions } from './session-options.js';
import type { TypedArray, ValueType } from './types.js';

const runtimeNames = ['native', 'binding'] as const;

/** `native`: the C interface, on another thread. `binding`: onnxruntime-node's own API, which blocks while it computes. */
export type RuntimeName = (typeof runtimeNames)[number];

export interface Runtime {
  readonly name: RuntimeName;
  /** ONNX Runtime's version, such as 1.30.0. */
  readonly version: string;
  /** `profilePrefix` is where the profile's file name begins; without it, nothing is recorded. */
  readonly open: (model: OnnxModel, options: SessionOptions, profilePrefix?: string) => Promise<RuntimeSession>;
}

/** One session. Nothing runs any more when it is closed: its owner waits. */
export interface RuntimeSession {
  /** Computes once and writes the results into the arrays of `results`. */
  readonly run: (inputs: Buffers, results: Buffers) => Promise<void>;
  /** Writes the profile to its file. */
  readonly endProfiling: () => void;
  readonly close: () => Promise<void>;
}

/** Numbers with their type, on the way in or out. */
export interface TensorBuffer extends ValueType {
  readonly data: TypedArray;
}
export type Buffers = Readonly<Record<string, TensorBuffer>>;

/** Which runtime computes here. */
export interface RuntimeInfo {
  readonly name: RuntimeName;
  /** ONNX Runtime's version, such as 1.30.0. */
  readonly version: string;
  /** Why the binding stands in for the native interface; undefined if it does not. */
  readonly fallbackReason?: string;
}

interface ChosenRuntime {
  readonly runtime: Runtime;
  readonly fallbackReason?: string;
}

type Loaders = Readonly<Record<RuntimeName, () => Promise<Runtime>>>;

/** Both are loaded at first use: neither koffi nor onnxruntime-node is touched by importing the engine. */
const loaders: Loaders = {
  native: async () => (await import('./native-session.js')).loadNative(),
  binding: async () => (await import('./onnxruntime-binding.js')).loadBinding(),
};

let chosen: Promise<ChosenRuntime> | undefined;
const loaded = new Map<RuntimeName, Promise<Runtime>>();

/** The runtime of that name, or the one this process has chosen. */
export async function openRuntime(name?: RuntimeName): Promise<Runtime> {
  if (name === undefined) return (await choice()).runtime;
  if (!isRuntimeName(name)) throw unknownRuntime('runtime', name);
  const runtime = loaded.get(name) ?? loaders[name]();
  loaded.set(name, runtime);
  return runtime;
}

/** Says which runtime computes in this process, loading it if nothing has been computed yet. */
export async function runtimeInfo(): Promise<RuntimeInfo> {
  const { runtime, fallbackReason } = await choice();
  const { name, version } = runtime;
  return { name, version, ...(fallbackReason === undefined ? {} : { fallbackReason }) };
}

function choice(): Promise<ChosenRuntime> {
  chosen ??= chooseRuntime(loaders, process.env.EPSILENS_RUNTIME || undefined, (message) =>
    process.emitWarning(message, 'Epsilens'),
  );
  return chosen;
}

/** Takes the one that is asked for, else the native interface, else the binding with a warning that says why. */
export async function chooseRuntime(
  from: Loaders,
  asked: string | undefined,
  warn: (message: string) => void,
): Promise<ChosenRuntime> {
  if (asked !== undefined) {
    if (!isRuntimeName(asked)) throw unknownRuntime('EPSILENS_RUNTIME', asked);
    return { runtime: await from[asked]() };
  }
  try {
    return { runtime: await from.native() };
  } catch (error) {
    const fallbackReason = firstLine(error);
    const runtime = await from.binding().catch((second: unknown) => {
      const reasons = new Set([fallbackReason, firstLine(second)]);
      throw new Error(`ONNX Runtime cannot be loaded: ${[...reasons].join('; its binding: ')}`, { cause: second });
    });
    warn(`ONNX Runtime is used through its binding, which is slower: ${fallbackReason}`);
    return { runtime, fallbackReason };
  }
}

const isRuntimeName = (name: string): name is RuntimeName => (runtimeNames as readonly string[]).includes(name);

const unknownRuntime = (what: string, name: string): ArgumentError =>
  new ArgumentError(`invalid ${what}: expected ${runtimeNames.join(' or ')}, got ${name}`);

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] as string;

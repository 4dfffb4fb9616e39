// The doorway to ONNX Runtime: its library comes with onnxruntime-node and is called through its C interface (koffi).
// onnxruntime-node's own JavaScript copies every result into newly mapped memory (0.6 ms a megabyte, 4 % of a training
// step) and blocks the thread while it computes; this does neither.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import koffi from 'koffi';
import { ArgumentError } from '../checks/index.js';

/** Native objects are addresses; 0 or null is none. */
export type Pointer = bigint;

// The table of C functions only ever grows at its end, so a function keeps its place; version 1.18 has all of these.
const apiVersion = 18;
const stackSize = 4 << 20;
const pointer = 'void *';
const text = 'const char *';
const path = process.platform === 'win32' ? 'const char16_t *' : text;
const result = koffi.out(koffi.pointer(pointer)) as unknown;
const functions = {
  GetErrorMessage: [2, text, [pointer]],
  CreateEnv: [3, pointer, ['int', text, result]],
  DisableTelemetryEvents: [6, pointer, [pointer]],
  CreateSessionFromArray: [8, pointer, [pointer, pointer, 'size_t', pointer, result]],
  Run: [9, pointer, [pointer, pointer, pointer, pointer, 'size_t', pointer, 'size_t', pointer]],
  CreateSessionOptions: [10, pointer, [result]],
  EnableProfiling: [14, pointer, [pointer, path]],
  SetSessionLogSeverityLevel: [22, pointer, [pointer, 'int']],
  SetSessionGraphOptimizationLevel: [23, pointer, [pointer, 'int']],
  SetIntraOpNumThreads: [24, pointer, [pointer, 'int']],
  SetInterOpNumThreads: [25, pointer, [pointer, 'int']],
  CreateTensorWithDataAsOrtValue: [49, pointer, [pointer, pointer, 'size_t', pointer, 'size_t', 'int', result]],
  CreateCpuMemoryInfo: [69, pointer, ['int', 'int', result]],
  AllocatorFree: [76, pointer, [pointer, pointer]],
  GetAllocatorWithDefaultOptions: [78, pointer, [result]],
  ReleaseStatus: [93, 'void', [pointer]],
  ReleaseSession: [95, 'void', [pointer]],
  ReleaseValue: [96, 'void', [pointer]],
  ReleaseSessionOptions: [100, 'void', [pointer]],
  SessionEndProfiling: [110, pointer, [pointer, pointer, result]],
  GetAvailableProviders: [125, pointer, [result, koffi.out(koffi.pointer('int')) as unknown]],
  ReleaseAvailableProviders: [126, pointer, [pointer, 'int']],
  AddSessionConfigEntry: [130, pointer, [pointer, text, text]],
  SessionOptionsAppendExecutionProvider_CUDA_V2: [204, pointer, [pointer, pointer]],
  CreateCUDAProviderOptions: [205, pointer, [result]],
  ReleaseCUDAProviderOptions: [208, 'void', [pointer]],
  SessionOptionsAppendExecutionProvider: [216, pointer, [pointer, text, pointer, pointer, 'size_t']],
  AddExternalInitializersFromFilesInMemory: [279, pointer, [pointer, pointer, pointer, pointer, 'size_t']],
} as const;

type FunctionName = keyof typeof functions;
// biome-ignore lint/suspicious/noExplicitAny: koffi checks arguments at run time, by the table above.
type NativeFunction = ((...args: any[]) => any) & { async: (...args: any[]) => void };
interface Runtime {
  /** Held on to: koffi unloads a library that is no longer referred to. */
  readonly library: unknown;
  readonly functions: Readonly<Record<FunctionName, NativeFunction>>;
}

/** Calls a function; a failure becomes an error with ONNX Runtime's message. */
export function call(name: FunctionName, ...args: unknown[]): void {
  check(runtime()[name](...args));
}

/** Calls a function whose last argument receives a new object. */
export function create(name: FunctionName, ...args: unknown[]): Pointer {
  const made: [Pointer | null] = [null];
  call(name, ...args, made);
  return made[0] as Pointer;
}

/** The same on another thread. What the arguments point to by address, `behind`, is kept from the garbage collector. */
export async function callAside(name: FunctionName, args: unknown[], behind: unknown): Promise<void> {
  const held = [args, behind];
  inUse.add(held);
  try {
    const status = await new Promise<Pointer | null>((resolve, reject) => {
      runtime()[name].async(...args, (error: Error | null, value: Pointer | null) =>
        error ? reject(error) : resolve(value),
      );
    });
    check(status);
  } finally {
    inUse.delete(held);
  }
}
const inUse = new Set<unknown>();

export const release = (name: FunctionName, object: Pointer): void => void runtime()[name](object);

/** Execution providers of this build, in ONNX Runtime's spelling without the ending: CPU, WebGPU, … */
export function availableProviders(): string[] {
  const [list, count]: [[Pointer | null], [number]] = [[null], [0]];
  call('GetAvailableProviders', list, count);
  const names = koffi.decode(list[0], 'char *', count[0]) as string[];
  call('ReleaseAvailableProviders', list[0], count[0]);
  return names.map((name) => name.replace(/ExecutionProvider$/, ''));
}

export const readText = (address: Pointer): string => koffi.decode.string(address);

/**
 * A list for C of pointers or sizes. It has a buffer of its own: small typed arrays without one live on the JavaScript
 * heap, where the collector moves them about.
 */
export function nativeList(numbers: readonly bigint[]): BigUint64Array {
  const list = new BigUint64Array(new ArrayBuffer(8 * numbers.length));
  list.set(numbers);
  return list;
}

/** The place of an array's numbers in memory; asking for the buffer takes a small array off the JavaScript heap. */
export const addressOf = (array: ArrayBufferView): Pointer => koffi.address(array.buffer) + BigInt(array.byteOffset);

/** Text as C wants it, in the runtime's encoding of paths where it is one. */
export const nativeText = (string: string, kind: 'name' | 'path'): Uint8Array =>
  Buffer.from(`${string}\0`, kind === 'path' && process.platform === 'win32' ? 'utf16le' : 'utf8');

function check(status: Pointer | null): void {
  if (!status) return;
  const message = runtime().GetErrorMessage(status) as string;
  runtime().ReleaseStatus(status);
  throw new Error(message);
}

let loaded: Runtime | undefined;

/** Loads the library at the first call. */
function runtime(): Runtime['functions'] {
  loaded ??= load();
  return loaded.functions;
}

function load(): Runtime {
  // ONNX Runtime needs more stack than koffi gives by default, and koffi wants to know before its first library.
  if ((koffi.config().async_stack_size ?? 0) < stackSize) koffi.config({ async_stack_size: stackSize });
  const library = koffi.load(libraryPath());
  const base = library.func('OrtGetApiBase', pointer, [])() as Pointer;
  const api = koffi.call(koffi.decode(base, pointer), koffi.proto(pointer, ['uint32_t']), apiVersion) as Pointer | null;
  if (!api)
    throw new Error(`ONNX Runtime does not offer version ${apiVersion} of its interface: reinstall the packages`);
  const table = Object.entries(functions).map(([name, [place, returns, args]]) => {
    const type = koffi.proto(`Ort_${name}`, returns, [...args] as string[]);
    return [name, koffi.decode(koffi.decode(api, place * koffi.sizeof(pointer), pointer), type)];
  });
  return { library, functions: Object.fromEntries(table) as Runtime['functions'] };
}

function libraryPath(): string {
  const home = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const folder = join(home, 'bin', 'napi-v6', process.platform, process.arch);
  const names = ['libonnxruntime.so.1', 'libonnxruntime.1.dylib', 'onnxruntime.dll'];
  const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) {
    throw new ArgumentError(`ONNX Runtime has no library for ${process.platform} ${process.arch} in onnxruntime-node`);
  }
  return found;
}

// The doorway to koffi, through which ONNX Runtime's C interface is called. The library comes with onnxruntime-node, whose
// own JavaScript blocks the thread while it computes; this does not.

import koffi from 'koffi';
import { libraryPath } from './onnxruntime-binding.js';

/** Native objects are addresses; 0 or null is none. */
export type Pointer = bigint;

// ONNX Runtime's table of C functions only ever grows at its end, so a function keeps its place. The places below were
// compared with the headers of all releases from the oldest to the newest named here.
const apiVersion = 18;
const [oldest, newest] = [18, 30]; // minor versions of 1.x
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
  /** Kept, because koffi unloads a library that nothing refers to. */
  readonly library: unknown;
  readonly version: string;
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

/** Calls a function on another thread. `behind` is what the arguments point to: it is kept from the garbage collector meanwhile. */
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

/** Execution providers of this build, in ONNX Runtime's spelling without the suffix: CPU, WebGPU, … */
export function availableProviders(): string[] {
  const [list, count]: [[Pointer | null], [number]] = [[null], [0]];
  call('GetAvailableProviders', list, count);
  const names = koffi.decode(list[0], 'char *', count[0]) as string[];
  call('ReleaseAvailableProviders', list[0], count[0]);
  return names.map((name) => name.replace(/ExecutionProvider$/, ''));
}

/**
 * A list of pointers or sizes for C. It gets its own buffer, because small typed arrays otherwise live on the JavaScript
 * heap, where the garbage collector moves them.
 */
export function nativeList(numbers: readonly bigint[]): BigUint64Array {
  const list = new BigUint64Array(new ArrayBuffer(8 * numbers.length));
  list.set(numbers);
  return list;
}

/** The address of an array's numbers; asking for its buffer moves a small array off the JavaScript heap. */
export const addressOf = (array: ArrayBufferView): Pointer => koffi.address(array.buffer) + BigInt(array.byteOffset);

/** Text for C, ending in 0; paths in the encoding that ONNX Runtime expects on this system. */
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

/** The version that the library states, such as 1.30.0. Loads it; throws one sentence if it cannot be used. */
export function libraryVersion(): string {
  loaded ??= load();
  return loaded.version;
}

function load(): Runtime {
  // ONNX Runtime needs more stack than koffi gives by default, which must be set before the first library is loaded.
  if ((koffi.config().async_stack_size ?? 0) < stackSize) koffi.config({ async_stack_size: stackSize });
  const library = koffi.load(libraryPath());
  const base = library.func('OrtGetApiBase', pointer, [])() as Pointer;
  // Both entries of OrtApiBase have kept their places since 1.0: GetApi, GetVersionString.
  const entry = (place: number) => koffi.decode(base, place * koffi.sizeof(pointer), pointer) as Pointer;
  const version = koffi.call(entry(1), koffi.proto(text, [])) as string;
  checkVersion(version);
  const api = koffi.call(entry(0), koffi.proto(pointer, ['uint32_t']), apiVersion) as Pointer | null;
  if (!api) throw new Error(`ONNX Runtime ${version} does not offer version ${apiVersion} of its C interface`);
  const table = Object.entries(functions).map(([name, [place, returns, args]]) => {
    const type = koffi.proto(`Ort_${name}`, returns, [...args] as string[]);
    return [name, koffi.decode(koffi.decode(api, place * koffi.sizeof(pointer), pointer), type)];
  });
  return { library, version, functions: Object.fromEntries(table) as Runtime['functions'] };
}

/** Refuses a library whose table of functions has not been compared with ours. */
export function checkVersion(version: string): void {
  const [major, minor = Number.NaN] = version.split('.').map(Number);
  if (major === 1 && minor >= oldest && minor <= newest) return;
  throw new Error(`the C interface is known for ONNX Runtime 1.${oldest} to 1.${newest}, and this is ${version}`);
}

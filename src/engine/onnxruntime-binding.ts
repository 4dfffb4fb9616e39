// The doorway to onnxruntime-node: where its library lies, and sessions on its JavaScript API. These block the thread while
// they compute, which native sessions do not; everything else is the same.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { OnnxModel } from './onnx.js';
import type { Buffers, Runtime, RuntimeSession } from './runtime.js';
import { configEntries, findProvider, type SessionOptions, threadsOf, unusableProvider } from './session-options.js';

type Binding = typeof import('onnxruntime-node');

const elementTypes = { f32: 'float32', f64: 'float64', i64: 'int64', i32: 'int32', bool: 'bool' } as const;

/** The path of ONNX Runtime's library for this machine. */
export function libraryPath(): string {
  const folder = join(packageFolder(), 'bin', 'napi-v6', process.platform, process.arch);
  const names = ['libonnxruntime.so.1', 'libonnxruntime.1.dylib', 'onnxruntime.dll'];
  const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) {
    throw new Error(`onnxruntime-node has no library for ${process.platform} ${process.arch}`);
  }
  return found;
}

function packageFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  } catch {
    throw new Error('onnxruntime-node is not installed: run npm install onnxruntime-node@1.30 --ignore-scripts');
  }
}

/** Loads the binding; throws one sentence if it cannot be used. */
export async function loadBinding(): Promise<Runtime> {
  libraryPath();
  const binding = await import('onnxruntime-node');
  binding.env.logLevel = 'fatal'; // errors reach the caller as exceptions
  return {
    name: 'binding',
    version: binding.env.versions.node ?? binding.env.versions.common,
    open: (model, options, profilePrefix) => open(binding, model, options, profilePrefix),
  };
}

async function open(
  binding: Binding,
  model: OnnxModel,
  options: SessionOptions,
  profilePrefix: string | undefined,
): Promise<RuntimeSession> {
  const { provider = 'cpu' } = options;
  const known = binding.listSupportedBackends().map(({ name }) => name.toUpperCase());
  const name = findProvider(provider, known);
  const settings = { ...settingsOf(model, options, profilePrefix), executionProviders: [name.toLowerCase()] };
  const session = await binding.InferenceSession.create(model.bytes, settings).catch((error: unknown) => {
    throw name === 'CPU' ? error : unusableProvider(name, error);
  });
  const tensorsOf = (buffers: Buffers): Record<string, Tensor> =>
    Object.fromEntries(
      Object.entries(buffers).map(([key, { dtype, shape, data }]) => [
        key,
        new binding.Tensor(elementTypes[dtype], data, shape),
      ]),
    );
  return {
    /** Results are written into the arrays of the tensors that are handed over. */
    async run(inputs, results) {
      await session.run(tensorsOf(inputs), tensorsOf(results));
    },
    endProfiling: () => session.endProfiling(),
    close: () => session.release(),
  };
}

function settingsOf(model: OnnxModel, options: SessionOptions, profilePrefix: string | undefined) {
  const externalData = Object.entries(model.arrays).map(([path, { buffer, byteOffset, byteLength }]) => ({
    path,
    data: Buffer.from(buffer, byteOffset, byteLength),
  }));
  return {
    logSeverityLevel: 4,
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: threadsOf(options),
    interOpNumThreads: 1,
    extra: { session: configEntries(options, model.folder) },
    ...(externalData.length === 0 ? {} : { externalData }),
    ...(profilePrefix === undefined ? {} : { enableProfiling: true, profileFilePrefix: profilePrefix }),
  } as unknown as InferenceSession.SessionOptions;
}

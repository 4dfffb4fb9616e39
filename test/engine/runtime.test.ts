// Which way to ONNX Runtime is taken, and the warning or error when one cannot be used.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compile, exp, input, runtimeInfo } from '../../src/engine/index.js';
import { checkVersion, libraryVersion } from '../../src/engine/onnxruntime-native.js';
import { chooseRuntime, type Runtime, type RuntimeName } from '../../src/engine/runtime.js';

const working = (name: RuntimeName) => async (): Promise<Runtime> => ({
  name,
  version: '1.30.0',
  open: () => Promise.reject(new Error('not opened here')),
});
const failing = (message: string) => () => Promise.reject(new Error(message));
const both = { native: working('native'), binding: working('binding') };

describe('the choice of a runtime', () => {
  const warnings: string[] = [];
  const choose = (from: typeof both, asked?: string) =>
    chooseRuntime(from, asked, (message) => void warnings.push(message));

  it('is the native interface where it works, and the one that is asked for', async () => {
    expect((await choose(both)).runtime.name).toBe('native');
    expect((await choose(both, 'binding')).runtime.name).toBe('binding');
    expect(await choose(both, 'native')).not.toHaveProperty('fallbackReason');
  });

  it('falls back on the binding with a warning that says why', async () => {
    const from = { ...both, native: failing('no koffi here\nRequire stack:') };
    const { runtime, fallbackReason } = await choose(from);
    expect([runtime.name, fallbackReason]).toEqual(['binding', 'no koffi here']);
    expect(warnings).toEqual(['ONNX Runtime is used through its binding, which is slower: no koffi here']);
  });

  it('does not fall back from what was asked for', async () => {
    await expect(choose({ ...both, native: failing('no koffi here') }, 'native')).rejects.toThrow('no koffi here');
    await expect(choose(both, 'wasm')).rejects.toThrow(
      'invalid EPSILENS_RUNTIME: expected native or binding, got wasm',
    );
  });

  it('says once what both of them miss', async () => {
    const nothing = { native: failing('no library'), binding: failing('no library') };
    await expect(choose(nothing)).rejects.toThrow(/^ONNX Runtime cannot be loaded: no library$/);
    await expect(choose({ ...nothing, binding: failing('no addon') })).rejects.toThrow(
      'ONNX Runtime cannot be loaded: no library; its binding: no addon',
    );
  });

  it('may be made for one program', async () => {
    const graph = { y: exp(input('x', [1])) };
    await expect(compile(graph, { runtime: 'wasm' as RuntimeName })).rejects.toThrow(
      'invalid runtime: expected native or binding, got wasm',
    );
  });
});

describe('the version of the C interface', () => {
  it('is that of the library', async () => {
    expect(libraryVersion()).toMatch(/^1\.\d+\.\d+$/);
    expect((await runtimeInfo()).version).toBe(libraryVersion());
  });

  it.each(['1.17.3', '1.31.0', '2.18.0', 'unknown'])('%s is refused', (version) => {
    expect(() => checkVersion(version)).toThrow(
      `the C interface is known for ONNX Runtime 1.18 to 1.30, and this is ${version}`,
    );
  });

  it.each(['1.18.0', '1.30.0', '1.24.0-rc1'])('%s is accepted', (version) => {
    expect(() => checkVersion(version)).not.toThrow();
  });
});

describe('a process', () => {
  const engine = pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'engine', 'public.js')).href;
  const script = `
    import { compile, exp, input, runtimeInfo } from ${JSON.stringify(engine)};
    const program = await compile({ y: exp(input('x', [1])) });
    const { y } = await program.run({ x: Float32Array.of(0) });
    await program.close();
    console.log(JSON.stringify({ y: y[0], ...(await runtimeInfo()) }));`;
  const hide = pathToFileURL(join(import.meta.dirname, '..', 'hide-packages.js')).href;
  const run = (environment: Record<string, string>) =>
    spawnSync(process.execPath, ['--import', hide, '--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });

  it('without koffi computes through the binding and says so', () => {
    const { stdout, stderr } = run({ HIDDEN_PACKAGES: 'koffi' });
    expect(JSON.parse(stdout)).toMatchObject({
      y: 1,
      name: 'binding',
      fallbackReason: expect.stringContaining('koffi'),
    });
    expect(stderr).toContain('Epsilens: ONNX Runtime is used through its binding, which is slower:');
  });

  it('without onnxruntime-node says how to get it', () => {
    const { status, stderr } = run({ HIDDEN_PACKAGES: 'onnxruntime-node' });
    expect(status).toBe(1);
    expect(stderr).toContain(
      'ONNX Runtime cannot be loaded: onnxruntime-node is not installed: run npm install onnxruntime-node@1.30 --ignore-scripts\n',
    );
  });

  it('takes the runtime that EPSILENS_RUNTIME names', () => {
    expect(JSON.parse(run({ EPSILENS_RUNTIME: 'binding' }).stdout)).toMatchObject({ y: 1, name: 'binding' });
    expect(run({ EPSILENS_RUNTIME: 'wasm' }).stderr).toContain('invalid EPSILENS_RUNTIME');
  });
});

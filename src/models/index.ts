export { type BertConfig, type BertValues, buildBert, parseBertConfig } from './bert.js';
export { type Checkpoint, findTensor, openCheckpoint, readStored, type StoredTensor } from './checkpoint.js';
export type { ModelConfig } from './config.js';
export { type EncoderSizes, encoderBlock, encoderFlops, type ParameterOf } from './encoder.js';
export { buildGpt2, type Gpt2Values, parseGpt2Config } from './gpt2.js';
export { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry, type TensorType } from './safetensors.js';
export { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';

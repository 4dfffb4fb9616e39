export type { Architecture } from './architecture.js';
export { blockFlops } from './attention.js';
export { type BertConfig, type BertGraph, bertBlock, buildBert, parseBertConfig } from './bert.js';
export { bundledModel } from './bundled.js';
export { type Checkpoint, findTensor, openCheckpoint, readStored, type StoredTensor } from './checkpoint.js';
export type { ModelConfig } from './config.js';
export {
  buildTrainablePart,
  computeFeatures,
  type FeatureOptions,
  type Features,
  shouldCacheFeatures,
  type TrainablePart,
} from './features.js';
export { buildGpt2, parseGpt2Config } from './gpt2.js';
export type { ModelGraph, ModelInput } from './graph.js';
export {
  type Layers,
  type LayerTrace,
  type LinearOptions,
  makeLayers,
  type ParameterOf,
  type TraceParameter,
} from './layers.js';
export {
  type BlockLayout,
  type LinearLayout,
  type ModelLayout,
  type NormLayout,
  parameterNames,
} from './layout.js';
export {
  type BuildOptions,
  type BuiltModel,
  type LoadOptions,
  loadModel,
  type Model,
  type ModelCore,
  type Task,
  taskLogits,
} from './model.js';
export { type ModelParameter, readParameter } from './parameters.js';
export { initializeReluTransformer } from './relu-transformer.js';
export { replaceParameters } from './replace-parameters.js';
export { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry, type TensorType } from './safetensors.js';
export { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';
export { type SaveOptions, saveModel } from './save.js';
export { selectParameters } from './selection.js';
export { openSentenceEncoder, type SentenceEncoder, type SentenceEncoderOptions } from './sentence-encoder.js';
export {
  type ClassifyOptions,
  classNames,
  openTextClassifier,
  type Prediction,
  type TextClassifier,
} from './text-classifier.js';

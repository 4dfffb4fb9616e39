export { blockFlops } from './attention.js';
export { type BertConfig, bertBlock, bertBlockLayout, buildBert, parseBertConfig } from './bert.js';
export { bundledModel, bundledModels } from './bundled.js';
export { findTensor, openCheckpoint, readStored, type StoredTensor } from './checkpoint.js';
export type { ModelConfig } from './config.js';
export {
  type DropoutChoice,
  type DropoutPlace,
  type DropoutRates,
  type DropoutScope,
  dropoutRates,
  dropoutRoles,
  maskInput,
} from './dropout.js';
export { readNumbers, writeNumbers } from './feature-files.js';
export {
  buildTrainablePart,
  computeFeatures,
  type FeatureOptions,
  featureBytes,
  shouldCacheFeatures,
} from './features.js';
export { digestOfFiles } from './frozen-digest.js';
export { buildGpt2, parseGpt2Config } from './gpt2.js';
export type { ModelGraph } from './graph.js';
export { placeModel } from './hub-model.js';
export { type InspectedModel, inspectModel } from './inspect.js';
export {
  type Layers,
  type LayerTrace,
  makeLayers,
  type ParameterOf,
} from './layers.js';
export {
  type BlockLayout,
  type LinearLayout,
  type NormLayout,
  parameterNames,
} from './layout.js';
export { loadModel } from './load.js';
export {
  type Adapter,
  adapterNames,
  isAdapterParameter,
  type LoraOptions,
  loraOptions,
  withAdapter,
} from './lora/adapter.js';
export { adapterWeightsFile } from './lora/files.js';
export { isAdapterFolder } from './lora/load.js';
export { mergeAdapter } from './lora/merge.js';
export { expectSavable } from './lora/save.js';
export {
  type LoadOptions,
  type Model,
  type ModelCore,
  type Task,
  taskLogits,
} from './model.js';
export { readParameter } from './parameters.js';
export { type ClassifyOptions, classNames } from './predictor.js';
export { initializeReluTransformer } from './relu-transformer.js';
export { replaceParameters } from './replace-parameters.js';
export { openSafetensors, readTensor, type SafetensorsFile } from './safetensors.js';
export { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';
export { cardMarker, type SaveOptions, saveModel } from './save.js';
export { selectParameters } from './selection.js';
export { openSentenceEncoder, type SentenceEncoder } from './sentence-encoder.js';
export { expectSentenceEncoder } from './sentence-encoder-weights.js';
export { openTextClassifier, type Prediction, type TextClassifier } from './text-classifier.js';
export { openTokenClassifier, type TextLabels, type TokenClassifier, type WordPrediction } from './token-classifier.js';

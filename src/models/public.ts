export type { DownloadProgress } from '../platform/index.js';
export type { Architecture } from './architecture.js';
export type { ModelConfig, RawConfig } from './config.js';
export {
  type DropoutChoice,
  type DropoutPlace,
  type DropoutRates,
  type DropoutRole,
  type DropoutScope,
  dropoutRates,
} from './dropout.js';
export type { ModelGraph } from './graph.js';
export type { HeadName } from './heads.js';
export { type DownloadOptions, type ModelPlace, placeModel } from './hub-model.js';
export { type InspectedModel, inspectModel } from './inspect.js';
export type { LayerTrace, TraceParameter } from './layers.js';
export type { BlockLayout, LinearLayout, ModelLayout, NormLayout, PositionLayout, TableLayout } from './layout.js';
export { loadModel } from './load.js';
export { type Adapter, type AdapterSettings, type LoraOptions, withAdapter } from './lora/adapter.js';
export { mergeAdapter } from './lora/merge.js';
export type {
  BuildOptions,
  BuiltModel,
  LoadOptions,
  Model,
  ModelCore,
  Task,
} from './model.js';
export type { ModelParameter, ModelParameters } from './parameters.js';
export { type ClassifyOptions, type ClassScores, classNames } from './predictor.js';
export { replaceParameters } from './replace-parameters.js';
export { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry, type TensorType } from './safetensors.js';
export { type TensorToWrite, type WriteOptions, writeSafetensors } from './safetensors-writer.js';
export { type SaveOptions, saveModel } from './save.js';
export { selectParameters } from './selection.js';
export { openSentenceEncoder, type SentenceEncoder, type SentenceEncoderOptions } from './sentence-encoder.js';
export { openTextClassifier, type Prediction, type TextClassifier } from './text-classifier.js';
export { openTokenClassifier, type TextLabels, type TokenClassifier, type WordPrediction } from './token-classifier.js';

// Loads a model: a whole one, or an adapter with the model that it belongs to.

import { placeModel } from './hub-model.js';
import { isAdapterFolder, loadAdapter } from './lora/load.js';
import { type LoadOptions, loadModel as loadWholeModel, type Model } from './model.js';

/**
 * Loads a model (BERT, RoBERTa, DistilBERT, GPT-2 and their kin) from a folder in the Hugging Face layout, from the package (`bundled:bert-mini`,
 * `bundled:gpt2-mini`), or from the Hugging Face Hub (`hf:owner/name`, `hf:owner/name@revision`), which downloads it once. A folder in PEFT's
 * layout is a LoRA adapter: its base model is loaded with it. Every weights file is read once: NaN and infinities are errors.
 */
export async function loadModel(source: string, options: LoadOptions = {}): Promise<Model> {
  const place = await placeModel(source, { onProgress: options.onProgress });
  return isAdapterFolder(place.folder)
    ? loadAdapter(place, options, loadWholeModel)
    : loadWholeModel(place.source, options);
}

// Loads a model: a whole one, or an adapter with the model that it belongs to.

import { isAdapterFolder, loadAdapter } from './lora/load.js';
import { type LoadOptions, loadModel as loadWholeModel, type Model } from './model.js';

/**
 * Loads a BERT or GPT-2 model from a folder in the Hugging Face layout, or from the package (`bundled:bert-mini`,
 * `bundled:gpt2-mini`). A folder in PEFT's layout is a LoRA adapter: its base model is loaded with it. Every weights file is read once:
 * NaN and infinities are errors.
 */
export const loadModel = async (source: string, options: LoadOptions = {}): Promise<Model> =>
  isAdapterFolder(source) ? loadAdapter(source, options, loadWholeModel) : loadWholeModel(source, options);

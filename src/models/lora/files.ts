// The files of an adapter folder in PEFT's layout.

export const adapterConfigFile = 'adapter_config.json';
export const adapterWeightsFile = 'adapter_model.safetensors';

/** Begins the name of every tensor in an adapter file. */
export const peftPrefix = 'base_model.model.';

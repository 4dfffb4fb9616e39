// How a transformer is laid out: the names of its parameters by what they do, and what distinguishes its blocks. Each model
// describes itself once, in its own file; its graph, training and the attacks read that description.

export interface TableLayout {
  readonly name: string;
  readonly weight: string;
}

export interface NormLayout extends TableLayout {
  readonly bias: string;
}

export interface LinearLayout extends NormLayout {
  /** The weight is stored as [outputs, inputs]. */
  readonly transposed: boolean;
  /** Which third of the stored outputs it is, where query, key and value share one fused matrix. */
  readonly third?: 0 | 1 | 2;
}

/** One layer of the transformer: attention, then a feed-forward network. */
export interface BlockLayout {
  readonly query: LinearLayout;
  readonly key: LinearLayout;
  readonly value: LinearLayout;
  /** Maps the joined heads back to the width of the model. */
  readonly attentionOutput: LinearLayout;
  /** The first map of the feed-forward network, to the intermediate size. */
  readonly intermediate: LinearLayout;
  /** The second map of the feed-forward network. */
  readonly feedForwardOutput: LinearLayout;
  /** The block's own norms by where they stand. After the feed-forward means after its residual was added. */
  readonly norms: {
    readonly beforeAttention?: NormLayout;
    /** Attention or the residual comes in, the feed-forward network reads what comes out. */
    readonly beforeFeedForward: NormLayout;
    readonly afterFeedForward?: NormLayout;
  };
}

/**
 * What a client may train on: the next token, every token at its own position, tokens hidden behind the mask token, or the class
 * of the text.
 */
type LossName = 'next' | 'all' | 'masked' | 'class';

export interface ModelLayout {
  readonly embeddings: {
    readonly words: TableLayout;
    readonly positions: TableLayout;
    /** Its first row is added to every token: we use one segment only. */
    readonly tokenTypes?: TableLayout;
    readonly norm?: NormLayout;
  };
  readonly blocks: readonly BlockLayout[];
  /** Whether norms act on what attention and feed-forward read (pre), or on their sum with the residual (post). */
  readonly normPlacement: 'pre' | 'post';
  /** The function between the two maps of the feed-forward network. */
  readonly activation: 'relu' | 'gelu';
  /** Whether tokens see those after them too. */
  readonly attention: 'bidirectional' | 'causal';
  /** The bias of the language-model head, one number per token of the vocabulary. */
  readonly decoderBias?: string;
  /** The usual one first. Those of tokens need the language-model head, which a checkpoint may lack. */
  readonly losses: readonly LossName[];
  /** Every parameter of the model once, by layer: a block is one group, and so is each module outside. */
  readonly parameterGroups: readonly (readonly string[])[];
}

export const tableLayout = (name: string): TableLayout => ({ name, weight: `${name}.weight` });

export const normLayout = (name: string): NormLayout => ({ ...tableLayout(name), bias: `${name}.bias` });

export const linearLayout = (name: string, options: Pick<LinearLayout, 'transposed' | 'third'>): LinearLayout => ({
  ...normLayout(name),
  ...options,
});

/** Names of weights and biases, each once; parts that a model lacks are skipped. */
export const parameterNames = (
  ...parts: readonly ({ readonly weight: string; readonly bias?: string } | undefined)[]
): string[] => [...new Set(parts.flatMap((part) => [part?.weight ?? [], part?.bias ?? []].flat()))];

export const blockParameters = (block: BlockLayout): string[] =>
  parameterNames(
    block.norms.beforeAttention,
    block.query,
    block.key,
    block.value,
    block.attentionOutput,
    block.norms.beforeFeedForward,
    block.intermediate,
    block.feedForwardOutput,
    block.norms.afterFeedForward,
  );

/** The blocks of all layers, each from its number. */
export const layoutBlocks = (layers: number, block: (layer: number) => BlockLayout): BlockLayout[] =>
  Array.from({ length: layers }, (_, layer) => block(layer));

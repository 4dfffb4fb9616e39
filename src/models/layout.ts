// The layout of a transformer: the names of its parameters by role, and what distinguishes its blocks. Each architecture
// describes itself once, in its own file; its graph, training and the attacks read that description.

/** Names of an embedding table. */
export interface TableLayout {
  /** Name of the layer. */
  readonly name: string;
  /** Name of its weight. */
  readonly weight: string;
}

/** Names of the position table, and where texts begin in it. */
export interface PositionLayout extends TableLayout {
  /** The row of a text's first token: 0, or the one after the padding token's id (RoBERTa). */
  readonly first: number;
}

/** Names of a layer norm. */
export interface NormLayout extends TableLayout {
  /** Name of its bias. */
  readonly bias: string;
}

/** Names and storage of a linear layer. */
export interface LinearLayout extends NormLayout {
  /** Whether the weight is stored as [outputs, inputs]. */
  readonly transposed: boolean;
  /** Which third of the outputs it is, if query, key and value share one fused matrix. */
  readonly third?: 0 | 1 | 2;
}

/** One transformer block: attention, then a feed-forward network. */
export interface BlockLayout {
  readonly query: LinearLayout;
  readonly key: LinearLayout;
  readonly value: LinearLayout;
  /** Maps the concatenated heads back to the hidden width. */
  readonly attentionOutput: LinearLayout;
  /** First map of the feed-forward network, to the intermediate size. */
  readonly intermediate: LinearLayout;
  /** Second map of the feed-forward network, back to the hidden width. */
  readonly feedForwardOutput: LinearLayout;
  /** The block's norms by position; the one after the feed-forward network follows its residual. */
  readonly norms: {
    readonly beforeAttention?: NormLayout;
    /** Reads the residual after attention; the feed-forward network reads its output. */
    readonly beforeFeedForward: NormLayout;
    readonly afterFeedForward?: NormLayout;
  };
}

/** The losses a client may train on: the next token, every token at its own position, masked tokens, or the class of the text. */
type LossName = 'next' | 'all' | 'masked' | 'class';

/** Names of a model's parameters by role, and what distinguishes its blocks. */
export interface ModelLayout {
  readonly embeddings: {
    readonly words: TableLayout;
    readonly positions: PositionLayout;
    /** Its first row is added to every token, because only one segment is used. */
    readonly tokenTypes?: TableLayout;
    readonly norm?: NormLayout;
  };
  readonly blocks: readonly BlockLayout[];
  /** Whether norms act on the inputs of attention and feed-forward (pre), or on their sum with the residual (post). */
  readonly normPlacement: 'pre' | 'post';
  /** Between the two maps of the feed-forward network. */
  readonly activation: 'relu' | 'gelu';
  /** Whether tokens attend to later tokens (bidirectional) or not (causal). */
  readonly attention: 'bidirectional' | 'causal';
  /** Name of the language-model head's bias, one number per token of the vocabulary. */
  readonly decoderBias?: string;
  /** Name of the bias of the classifier of texts, one number per class. */
  readonly classifierBias?: string;
  /** Default first. Token losses need the language-model head, which a checkpoint may lack. */
  readonly losses: readonly LossName[];
  /** Every parameter once, by layer: each block is one group, and so is each module outside the blocks. */
  readonly parameterGroups: readonly (readonly string[])[];
}

/** Layout of an embedding table with the usual parameter name. */
export const tableLayout = (name: string): TableLayout => ({ name, weight: `${name}.weight` });

/** Layout of a position table with the usual parameter name. */
export const positionLayout = (name: string, first = 0): PositionLayout => ({ ...tableLayout(name), first });

/** Layout of a layer norm with the usual parameter names. */
export const normLayout = (name: string): NormLayout => ({ ...tableLayout(name), bias: `${name}.bias` });

/** Layout of a linear layer with the usual parameter names. */
export const linearLayout = (name: string, options: Pick<LinearLayout, 'transposed' | 'third'>): LinearLayout => ({
  ...normLayout(name),
  ...options,
});

/** Names of weights and biases, each once; layers that a model lacks are skipped. */
export const parameterNames = (
  ...layers: readonly ({ readonly weight: string; readonly bias?: string } | undefined)[]
): string[] => [...new Set(layers.flatMap((layer) => [layer?.weight ?? [], layer?.bias ?? []].flat()))];

/** Names of a block's parameters, in the order in which it uses them. */
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

/** Layouts of all blocks, each from its number. */
export const layoutBlocks = (layers: number, block: (layer: number) => BlockLayout): BlockLayout[] =>
  Array.from({ length: layers }, (_, layer) => block(layer));

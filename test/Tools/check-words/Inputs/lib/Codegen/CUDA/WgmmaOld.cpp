// A hero whose consumers take turns with slices of K, in exchanged roles.
int mostBlocks(Hero root, int slot, int tall);
int fine(GatherOp op, int most, FunctionPlanner, int emitSlice);

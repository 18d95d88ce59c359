// The table that a store has while it is being filled by a move. It says from where and how far.

export const MOVE_TABLE = 'store_move';

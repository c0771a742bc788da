/**
 * Replays: the primary-change topic is folded again from its start, beside the state, and then what
 * came out is put in the place of what differs.
 */
package io.indexview.streams.replay;

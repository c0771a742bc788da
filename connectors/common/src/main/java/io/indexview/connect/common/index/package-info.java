/**
 * The index that a source keeps on the worker's disk: its primary-change topic, all producers,
 * folded by the order guard as the streams app folds it.
 */
package io.indexview.connect.common.index;

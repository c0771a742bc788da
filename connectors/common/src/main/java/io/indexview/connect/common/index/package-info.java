/**
 * The index that a source keeps on the worker's disk: its primary-change topic, all producers,
 * materialized by the order guard as the streams app materializes it.
 */
package io.indexview.connect.common.index;

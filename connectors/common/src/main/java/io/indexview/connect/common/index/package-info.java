/**
 * The primary-change topic as a source reads it, and the index that a source keeps of it on the
 * worker's disk: all producers, materialized by the order guard as the streams app materializes it.
 */
package io.indexview.connect.common.index;

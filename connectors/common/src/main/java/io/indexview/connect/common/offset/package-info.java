/** Positions in topics: what a sink may commit, what a source's events reached. */
package io.indexview.connect.common.offset;

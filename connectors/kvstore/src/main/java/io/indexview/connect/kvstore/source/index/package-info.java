/** The index of a record set on the worker's disk: its topic, folded by the order guard. */
package io.indexview.connect.kvstore.source.index;

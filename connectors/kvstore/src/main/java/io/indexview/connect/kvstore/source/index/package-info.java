/** The index of a record set on the worker's disk: its topic, materialized by the order guard. */
package io.indexview.connect.kvstore.source.index;

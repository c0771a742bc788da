/** The index of objects on the worker's disk: the change topic, materialized by the order guard. */
package io.indexview.connect.s3.index;

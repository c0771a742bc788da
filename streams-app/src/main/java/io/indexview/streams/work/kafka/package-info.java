/** The cluster behind the ports of the worker. */
package io.indexview.streams.work.kafka;

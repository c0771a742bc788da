/** The rules of a view's life, as a function of what happened: no clock, no threads, no Kafka. */
package io.indexview.streams.lifecycle.machine;

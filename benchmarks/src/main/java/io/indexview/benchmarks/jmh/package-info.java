/** Running JMH's benchmarks in rounds. */
package io.indexview.benchmarks.jmh;

/** Requests of benchmarks over HTTP. */
package io.indexview.benchmarks.http;

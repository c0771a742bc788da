/** Keys and messages: encoding and decoding. */
package io.indexview.benchmarks.codec;

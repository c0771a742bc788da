/** Health and metrics: counters, and the small HTTP server that shows them. */
package io.indexview.streams.health;

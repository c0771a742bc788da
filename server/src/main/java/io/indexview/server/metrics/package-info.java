/** What the server counts. */
package io.indexview.server.metrics;

/**
 * Record sets, files and views on a local stack: connectors, streams app, and when all is applied.
 */
package io.indexview.local.pipeline;

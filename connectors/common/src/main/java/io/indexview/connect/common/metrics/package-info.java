/** The metrics that a connector tells its worker. */
package io.indexview.connect.common.metrics;

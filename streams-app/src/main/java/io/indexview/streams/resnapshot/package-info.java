/**
 * Resnapshots: when the sources have published every record again, what they did not name is gone.
 */
package io.indexview.streams.resnapshot;

/** What a plugin and the worker that loads it know of each other: version, metrics, misfits. */
package io.indexview.connect.common.worker;

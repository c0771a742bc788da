/** What happens when something fails: waiting for the registry, replacing stream threads. */
package io.indexview.streams.error;

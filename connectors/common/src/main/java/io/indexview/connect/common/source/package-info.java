/** What every source emits: envelopes, source states; and how it waits and counts. */
package io.indexview.connect.common.source;

/** The primary-change topic as a source's index reads it. */
package io.indexview.connect.kvstore.source.log;

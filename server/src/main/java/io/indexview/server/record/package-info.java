/** Record sets, their primary records and their sources. */
package io.indexview.server.record;

/** Record sets and their primary records. */
package io.indexview.server.record;

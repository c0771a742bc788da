/**
 * What both sinks share: the newest operation of each row, several requests at once, the offsets
 * that may be committed.
 */
package io.indexview.connect.common.sink;

/** What both sinks share: the newest operation of each row, and several requests at once. */
package io.indexview.connect.common.sink;

/** The store in this process, on Berkeley DB Java Edition. */
package io.indexview.kvstore.embedded;

/** Opens the adapter that the address of a store names. */
package io.indexview.kvstore.open;

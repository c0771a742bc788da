/** The values of a store as primary records, one class per format. */
package io.indexview.kvstore.value;

/** Oracle NoSQL Database through its client library, kvclient. */
package io.indexview.kvstore.oracle;

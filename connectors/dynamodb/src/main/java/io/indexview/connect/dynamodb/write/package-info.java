/** Rows on their way to the tables: buffered by key, written, settled. */
package io.indexview.connect.dynamodb.write;

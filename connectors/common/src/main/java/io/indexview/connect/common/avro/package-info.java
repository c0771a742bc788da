/** Connect data as Avro messages and back. */
package io.indexview.connect.common.avro;

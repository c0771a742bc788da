/** The contracts between the parts: topic names and the Avro records that travel on the topics. */
package io.indexview.schemas;
